/** Agents that hang, and agents that only take long and must not be ended. */
import { CHECKED, CUT_OFF, everyone, least, logs } from './parts.mjs';

const HANG_AFTER_MS = 2000;
const task = { ...CHECKED, hangAfterMs: HANG_AFTER_MS };
const HANG = { hang: true };

/** Two lines of the log are further apart than a hang may last: a harness that looks at one sign takes it for one. */
function quietFor(did, until) {
  const own = (events, name) => events.find((event) => event.did === name)?.own ?? Number.NaN;
  const what = `more than ${HANG_AFTER_MS} ms from "${did}" to "${until}"`;
  return { what, seen: (events) => own(events, until) - own(events, did) > HANG_AFTER_MS };
}

export const HANGS = [
  {
    name: 'hang at the start',
    task,
    ...everyone(({ last }) => [[HANG], last]),
    mustEnd: 'done',
    least: least(2, 1),
    fault: [logs('hangs'), CUT_OFF],
  },
  {
    name: 'hang in mid-stream',
    task,
    ...everyone(({ work, last }) => [[...work([{ write: 'half', to: 'notes.txt' }]), { say: 'I begin.' }, HANG], last]),
    mustEnd: 'done',
    least: least(2, 1),
    fault: [logs('said', { text: 'I begin.' }), logs('hangs'), CUT_OFF],
  },
  {
    name: 'hang after the last message',
    task,
    ...everyone(({ last }) => [[...last, { result: true }, HANG], last]),
    mustEnd: 'done',
    least: least(1),
    fault: [logs('result'), logs('hangs'), CUT_OFF],
  },
  {
    name: 'a dead connection: the model is stopped in the middle of its answer',
    task,
    machine: { model: { thinksMs: 600_000, dies: true } },
    ...everyone(({ last }) => [[{ ask: true }], last]),
    mustEnd: 'done',
    least: least(2, 1),
    fault: [logs('connected'), logs('model stopped', { state: 'T' }), CUT_OFF],
  },
  {
    name: 'no hang: a model that thinks for a long time',
    task,
    machine: { model: { thinksMs: 3 * HANG_AFTER_MS, dies: false } },
    ...everyone(({ last }) => [[{ ask: true }, ...last], last]),
    mustEnd: 'done',
    least: least(1),
    fault: [quietFor('connected', 'answered')],
  },
  {
    name: 'no hang: a long, silent computation',
    task,
    ...everyone(({ last }) => [[{ compute: 3 * HANG_AFTER_MS }, ...last], last]),
    mustEnd: 'done',
    least: least(1),
    fault: [quietFor('computes', 'computed')],
  },
  {
    name: 'no hang: a word now and then',
    task,
    ...everyone(({ last }) => [[{ tick: 6, everyMs: HANG_AFTER_MS / 2 }, ...last], last]),
    mustEnd: 'done',
    least: least(1),
    fault: [logs('ticked', {}, 6), quietFor('start', 'said')],
  },
];
