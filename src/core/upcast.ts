/** Brings a record of an older release to today's form, wherever records are read: nothing behind it knows another. */
import { type Checked, outcomeOfCommand } from './check.ts';
import type { Exit } from './outcome.ts';
import { type Created, RECORD_VERSION, type Recorded, type Result } from './record.ts';

/** Up to version 2 the loop kind was called `door`, and the loop inside a session `insession`. */
type CreatedUpTo2 = Omit<Created, 'loopKind'> & { readonly door: string };
/** Up to version 3 a check told the exit of its command. */
type CheckedUpTo3 = Omit<Checked, 'outcome'> & {
  readonly exit: Exit;
  readonly passed: boolean;
  readonly tree?: string;
};

export function upcast(record: Recorded): Recorded {
  const { result } = record;
  const v = Math.max(record.v, RECORD_VERSION);
  if (result.kind === 'created' && 'door' in result) {
    return { ...record, v, result: { kind: 'created', ...upcastCreated(result) } };
  }
  if (result.kind === 'checked' && 'exit' in result) {
    return { ...record, v, result: { kind: 'checked', ...upcastChecked(result as Result & CheckedUpTo3) } };
  }
  return record;
}

export function upcastCreated(created: Created | CreatedUpTo2): Created {
  if (!('door' in created)) return created;
  const { door, ...rest } = created;
  return { ...rest, loopKind: door === 'insession' ? 'session' : door };
}

function upcastChecked({ exit, passed: _passed, tree, ...rest }: CheckedUpTo3): Checked {
  const outcome = outcomeOfCommand(exit);
  return { ...rest, outcome: outcome.is === 'unrunnable' && tree !== undefined ? { ...outcome, tree } : outcome };
}
