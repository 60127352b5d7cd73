/** One call of the hook: the agent that made it, what happened there, and what is said about its loop in all answers. */
import type { BlockCap, SessionAnswer, SessionEvent, SessionHost, Typing } from '../../agents/session/host.ts';
import { closingLines } from '../../core/closing-summary.ts';
import type { LoopState } from '../../core/state.ts';
import type { Mask } from '../../core/text/mask.ts';
import { commandAgain, sessionClosing } from '../../loops/session/closing.ts';
import { tellingIn } from '../../loops/session/files.ts';
import { contractFor, isLong, type Telling } from '../../loops/session/messages.ts';
import type { SessionData } from '../../loops/session/rules.ts';
import type { SessionPlace } from '../../loops/session/store.ts';
import { visible, whereItStands } from '../../loops/session/wording.ts';
import { workStateIn } from './git.ts';

export interface Call<Event extends SessionEvent = SessionEvent> {
  readonly host: SessionHost;
  readonly event: Event;
  readonly place: SessionPlace;
  readonly typing: Typing;
  readonly cap: BlockCap | null;
  readonly mask: Mask;
}

export function tellingFor({ host, event }: Call, folder: string, task: string): Telling {
  return tellingIn(isLong(task, host) ? (host.readableFolder?.(event) ?? null) : null, host, folder, task);
}

/** The rules of the loop once more, for an agent that may have forgotten them. */
export function tellAgain(call: Call, folder: string, state: LoopState<SessionData>): SessionAnswer {
  const { request } = state.data;
  return {
    kind: 'tell',
    context: contractFor(request, tellingFor(call, folder, request.task)),
    notice: whereItStands(state, call.typing),
  };
}

/** The last lines of a loop, as they are told in its session. */
export function closingText({ typing }: Call, state: LoopState<SessionData>, folder: string): string {
  const closing = sessionClosing(state, {
    work: workStateIn(state.data.worktree ?? state.cwd),
    folder,
    // How a loop that waits goes on is said above.
    resume: null,
    again: (request) => commandAgain(typing.slash, request),
  });
  return closingLines(closing).map(visible).join('\n');
}
