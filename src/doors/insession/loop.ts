/** Begins and reads the loop of one session; the Stop hook turns it. */
import { fold } from '../../core/crank.ts';
import type { Mask } from '../../core/mask.ts';
import { RECORD_VERSION, type Recorded } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import type { Instant } from '../../core/time.ts';
import { turn } from '../../core/turn.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { createJournal, readJournal } from '../../state/journal.ts';
import { journalPath, loopFolder, type StateRoot } from '../../state/paths.ts';
import { keepRequest, withRequest } from '../../state/request.ts';
import { statusOf, writeStatus } from '../../state/status.ts';
import { type SessionData, type SessionRequest, sessionCrank } from './rules.ts';
import { performInSession, sessionLoopId } from './rules-turn.ts';

/** Records the loop up to the point where the session's agent has its prompt. */
export function beginSessionLoop(
  session: string,
  request: SessionRequest,
  cwd: string,
  release: string,
  now: Instant,
  { root, mask }: { readonly root: StateRoot; readonly mask: Mask },
): void {
  const id = idOf(session);
  const folder = loopFolder(root, id);
  makePrivateFolder(folder);
  const created = { id, door: 'insession', cwd, release, options: { ...request } };
  const first: Recorded = {
    v: RECORD_VERSION,
    seq: 0,
    at: now,
    key: 'created',
    attempt: 1,
    result: { kind: 'created', ...created },
  };
  keepRequest(folder, created, mask);
  const journal = createJournal(journalPath(folder), first, mask);
  const state = turn(sessionCrank, sessionCrank.begin(first), null, {
    perform: performInSession,
    append: journal.append,
    now,
  });
  writeStatus(folder, statusOf(state, now));
  journal.close();
}

export function readSessionLoop(session: string, root: StateRoot): LoopState<SessionData> {
  const folder = loopFolder(root, idOf(session));
  return fold(sessionCrank, withRequest(readJournal(journalPath(folder)).records, folder));
}

function idOf(session: string): string {
  const id = sessionLoopId(session);
  if (id === null) throw new Error(`"${session}" is no session's name`);
  return id;
}
