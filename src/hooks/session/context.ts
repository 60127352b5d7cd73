/** The agent may have forgotten the rules of its loop (a compaction, a resumed session): they are told again. */

import { iterationOf, statusOfSession } from '../../doors/insession/rules.ts';
import { contractFor } from '../../doors/insession/rules-messages.ts';
import type { SessionAnswer, SessionHost } from './host.ts';
import { activeLoop, readLoop, type SessionPlace, taskFile } from './store.ts';

export function answerRenewed(host: SessionHost, place: SessionPlace): SessionAnswer {
  const folder = activeLoop(place);
  if (folder === null) return { kind: 'nothing' };
  const state = readLoop(folder);
  if (statusOfSession(state) !== 'ACTIVE') return { kind: 'nothing' };
  const { request } = state.data;
  return {
    kind: 'tell',
    context: contractFor(request, { longestText: host.longestText, taskFile: taskFile(folder) }),
    notice: `This session is in a Ralph loop, at iteration ${iterationOf(state)}/${request.maximumIterations}. /cancel-ralph ends it.`,
  };
}
