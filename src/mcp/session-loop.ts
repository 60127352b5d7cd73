/** Finds the loop of the session that started this server, if the environment names that session. */
import { basename } from 'node:path';
import { AGENTS } from '../agents/index.ts';
import { RalphError } from '../core/error.ts';
import type { LoopAround } from '../engine/own-loop.ts';
import { activeLoop, sessionPlace } from '../loops/session/store.ts';
import type { StateRoot } from '../state/paths.ts';

/** Called for every request, because such a loop can begin long after the server. */
export function loopOfSession(root: StateRoot, variables: NodeJS.ProcessEnv): LoopAround {
  const sessions = AGENTS.flatMap(({ session }) => (session === undefined ? [] : [variables[session.name]]));
  const ids = sessions.flatMap((session) => loopIn(root, session));
  const [one, ...more] = ids;
  if (one === undefined) return { is: 'none' };
  return more.length === 0 ? { is: 'loop', id: one } : { is: 'unclear', ids };
}

function loopIn(root: StateRoot, session: string | undefined): string[] {
  const place = sessionPlace(root, session);
  try {
    const folder = place === null ? null : activeLoop(place);
    return folder === null ? [] : [basename(folder)];
  } catch (error) {
    // The file that names the loop is damaged: there is one, but it is unknown which.
    if (error instanceof RalphError) return [`session-${session}`];
    throw error;
  }
}
