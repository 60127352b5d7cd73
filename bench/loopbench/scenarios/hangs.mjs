/** Agents that hang, and agents that only take long and must be left alone. */
import { CHECKED, CLAIM, CUT_OFF, least, logs, RIGHT } from './parts.mjs';

const HANG_AFTER_MS = 2000;
const task = { ...CHECKED, hangAfterMs: HANG_AFTER_MS };
const HANG = { hang: true };

/** The log has two lines that are further apart than a hang may last: whoever looks at one thing only takes it for one. */
function quietFor(did, until) {
  const own = (events, name) => events.find((event) => event.did === name)?.own ?? Number.NaN;
  const what = `more than ${HANG_AFTER_MS} ms from "${did}" to "${until}"`;
  return { what, seen: (events) => own(events, until) - own(events, did) > HANG_AFTER_MS };
}

export const HANGS = [
  {
    name: 'hang at the start',
    task,
    calls: [[HANG], RIGHT],
    mustEnd: 'done',
    least: least(2, 1),
    witness: [logs('hangs'), CUT_OFF],
  },
  {
    name: 'hang in mid-stream',
    task,
    calls: [[{ write: 'half', to: 'notes.txt' }, { say: 'I begin.' }, HANG], RIGHT],
    mustEnd: 'done',
    least: least(2, 1),
    witness: [logs('said', { text: 'I begin.' }), logs('hangs'), CUT_OFF],
  },
  {
    name: 'hang after the last message',
    task,
    calls: [[...RIGHT, { result: true }, HANG]],
    mustEnd: 'done',
    least: least(1),
    witness: [logs('result'), logs('hangs'), CUT_OFF],
  },
  {
    name: 'a dead connection: the model is stopped in the middle of its answer',
    task,
    machine: { model: { thinksMs: 600_000, dies: true } },
    calls: [[{ ask: true }], RIGHT],
    mustEnd: 'done',
    least: least(2, 1),
    witness: [logs('connected'), logs('model stopped', { state: 'T' }), CUT_OFF],
  },
  {
    name: 'no hang: a model that thinks for a long time',
    task,
    machine: { model: { thinksMs: 3 * HANG_AFTER_MS, dies: false } },
    calls: [[{ ask: true }, ...RIGHT]],
    mustEnd: 'done',
    least: least(1),
    witness: [quietFor('connected', 'answered')],
  },
  {
    name: 'no hang: a long, silent computation',
    task,
    calls: [[{ compute: 3 * HANG_AFTER_MS }, ...RIGHT]],
    mustEnd: 'done',
    least: least(1),
    witness: [quietFor('computes', 'computed')],
  },
  {
    name: 'no hang: a word now and then',
    task,
    calls: [[{ tick: 6, everyMs: HANG_AFTER_MS / 2 }, { write: 42 }, CLAIM]],
    mustEnd: 'done',
    least: least(1),
    witness: [logs('ticked', {}, 6), quietFor('start', 'wrote')],
  },
];
