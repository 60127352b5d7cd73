/** The agent may have forgotten the rules of its loop (a compaction, a resumed session): they are told again. */

import type { ContextEvent, SessionAnswer, SessionHost } from '../../agents/session/host.ts';
import { contractFor } from '../../loops/session/messages.ts';
import { statusOfSession } from '../../loops/session/rules.ts';
import { whereItStands } from '../../loops/session/wording.ts';
import { tellingFor } from './messages.ts';
import { activeLoop, readLoop, type SessionPlace } from './store.ts';

export function answerRenewed(host: SessionHost, event: ContextEvent, place: SessionPlace): SessionAnswer {
  const folder = activeLoop(place);
  if (folder === null) return { kind: 'nothing' };
  const state = readLoop(folder);
  if (statusOfSession(state) !== 'ACTIVE') return { kind: 'nothing' };
  const { request } = state.data;
  return {
    kind: 'tell',
    context: contractFor(request, tellingFor(host, event, folder, request.task)),
    notice: whereItStands(state, host.typing(process.env)),
  };
}
