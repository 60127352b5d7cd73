/** A loop as its supervisor left it: a journal with the beginning and, if the loop is over, the ending. */
import { mkdirSync, rmSync } from 'node:fs';
import { RECORD_VERSION, type Recorded } from '../../../src/core/record.ts';
import { createJournal } from '../../../src/state/journal.ts';
import { journalPath } from '../../../src/state/paths.ts';
import type { ListedLoop } from '../../../src/state/registry.ts';

export function leaveLoopIn(folder: string, loop: ListedLoop): void {
  const { createdAt, updatedAt, ending, ...whose } = loop;
  mkdirSync(folder, { recursive: true });
  rmSync(journalPath(folder), { force: true });
  const record = (seq: number, at: number, result: Recorded['result']): Recorded => ({
    v: RECORD_VERSION,
    seq,
    at,
    key: result.kind,
    attempt: 1,
    result,
  });
  const first = record(0, createdAt, { kind: 'created', ...whose, release: '0', options: {} });
  const journal = createJournal(journalPath(folder), first, (text) => text);
  const last = ending === null ? ({ kind: 'waited' } as const) : ({ kind: 'ended', ending } as const);
  journal.append(record(1, updatedAt, last));
  journal.close();
}
