/** Watches an agent in its pane: its exit, its screen, its output, and what people order meanwhile. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Action } from '../../../core/action.ts';
import type { Exit } from '../../../core/outcome.ts';
import type { Duration } from '../../../core/time.ts';
import type { PerformAt } from '../../../engine/perform.ts';
import { alwaysReady, follow, openFollowing } from '../../../process/follow.ts';
import { openControl } from '../../../tmux/control.ts';
import { donePatternMatcher } from '../../../tmux/done-pattern.ts';
import { untilStable, watchScreens } from '../../../tmux/screen-watch.ts';
import { exitOf, isAlive, logIsWhole } from '../../../tmux/window.ts';
import type { Window } from '../../../tmux/window-file.ts';
import { windowFolder } from '../workers/home.ts';
import { deliverPrompt } from './deliver-prompt.ts';
import { readOrder, watchOrders } from './orders.ts';
import type { PaneRuns } from './pane-run.ts';

export interface PaneFiles {
  readonly window: Window;
  readonly log: string;
  readonly promptFile: string;
}

export type SeenEnd = (
  | { readonly by: 'exit'; readonly exit: Exit }
  | { readonly by: 'inactivity' | 'done-pattern' | 'order' }
) & { readonly bytes: number };
