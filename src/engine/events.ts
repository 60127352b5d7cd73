/** What a running loop reports. Records are complete; progress is for display and may be dropped. */
import type { Action } from '../core/action.ts';
import type { AgentEvent } from '../core/events.ts';
import type { RunKey } from '../core/keys.ts';
import type { Recorded } from '../core/record.ts';
import type { LoopState } from '../core/state.ts';

export type LoopEvent<Data = unknown> =
  | { readonly type: 'action'; readonly action: Action; readonly state: LoopState<Data> }
  | { readonly type: 'record'; readonly record: Recorded; readonly state: LoopState<Data> }
  | { readonly type: 'progress'; readonly run: RunKey; readonly seq: number; readonly event: AgentEvent };
