/** The last lines of a loop, as they are told in its session. */
import { join } from 'node:path';
import type { Typing } from '../../agents/session/host.ts';
import { closingLines } from '../../core/closing-summary.ts';
import type { LoopState } from '../../core/state.ts';
import { commandAgain, sessionClosing } from '../../loops/session/closing.ts';
import type { SessionData } from '../../loops/session/rules.ts';
import { visible } from '../../loops/session/wording.ts';
import { workStateIn } from './ask-git.ts';

export function closingText(state: LoopState<SessionData>, folder: string, { slash }: Typing): string {
  const closing = sessionClosing(state, {
    work: workStateIn(state.data.worktree ?? state.cwd),
    logOf: (name) => join(folder, name),
    // How a loop that waits goes on is said above.
    continuing: { resume: null, again: (request) => commandAgain(slash, request) },
  });
  return closingLines(closing).map(visible).join('\n');
}
