/**
 * Brings a record that an older release wrote to today's form. It is called wherever records are read, so that nothing
 * behind it knows that there ever was another form. `test/fixtures/journals` holds a journal of each loop kind to read.
 */
import { type Created, RECORD_VERSION, type Recorded } from './record.ts';

/** Up to version 2 the loop kind was called `door`, and the loop inside a session `insession`. */
type CreatedUpTo2 = Omit<Created, 'loopKind'> & { readonly door: string };

export function upcast(record: Recorded): Recorded {
  const { result } = record;
  if (result.kind !== 'created') return record;
  return { ...record, v: Math.max(record.v, RECORD_VERSION), result: { kind: 'created', ...upcastCreated(result) } };
}

export function upcastCreated(created: Created | CreatedUpTo2): Created {
  if (!('door' in created)) return created;
  const { door, ...rest } = created;
  return { ...rest, loopKind: door === 'insession' ? 'session' : door };
}
