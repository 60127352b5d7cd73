/** Usage limits and overloaded services: neither is a fault of the work, and waiting cures both. */
import { CHECKED, everyone, least, logs, says } from './parts.mjs';

/** Refused until the reset; a harness that tries earlier is refused again. */
const limited = (lastsMs, exit) => everyone(({ last }) => [[{ limit: { lastsMs, exit } }, ...last]]);
const storm = (status, times) =>
  everyone(({ last }) => [...Array.from({ length: times }, () => [{ overload: status }]), last]);
const HALF = [{ write: 'half', to: 'notes.txt' }];
const LIMITED = { status: 429 };

export const LIMITS = [
  {
    name: 'a usage limit in a success envelope, exit 0',
    task: CHECKED,
    ...limited(1000, 0),
    mustEnd: 'done',
    least: least(2, 1),
    fault: [logs('refusal', { ...LIMITED, exit: 0 })],
  },
  {
    name: 'a usage limit in a success envelope, exit 1',
    task: CHECKED,
    ...limited(1000, 1),
    mustEnd: 'done',
    least: least(2, 1),
    fault: [logs('refusal', { ...LIMITED, exit: 1 })],
  },
  {
    name: 'a usage limit that lasts until its reset',
    task: CHECKED,
    ...limited(4000, 1),
    mustEnd: 'done',
    least: least(2, 1),
    fault: [logs('refusal', LIMITED)],
  },
  {
    name: 'a usage limit after part of the work',
    task: CHECKED,
    ...everyone(({ work, last }) => [
      [...work(HALF), { say: 'I begin.' }, { limit: { lastsMs: 1000, exit: 1 } }, ...last],
    ]),
    mustEnd: 'done',
    least: least(2, 1),
    fault: [says('I begin.'), logs('refusal', LIMITED)],
  },
  {
    name: 'another model while the first is limited, and the first again after its reset',
    // Each model has a part that the other leaves out: a harness that only waits, or never returns, cannot finish.
    task: { checks: [...CHECKED.checks, 'grep -qx yes helped.txt'], fallbackModel: 'sonnet' },
    ...everyone(({ last, work }) => [
      [{ limit: { lastsMs: 2000, exit: 1 } }, { asFallback: work([{ write: 'yes', to: 'helped.txt' }]) }, ...last],
    ]),
    mustEnd: 'done',
    least: least(3, 2),
    fault: [logs('refusal', LIMITED)],
  },
  {
    name: 'a storm of 429, ten times in a row',
    task: CHECKED,
    ...storm(429, 10),
    mustEnd: 'done',
    least: least(11, 1),
    fault: [logs('refusal', { status: 429 }, 4)],
  },
  {
    name: 'an overloaded service, seven times in a row',
    task: CHECKED,
    ...storm(529, 7),
    mustEnd: 'done',
    least: least(8, 1),
    fault: [logs('refusal', { status: 529 }, 4)],
  },
  {
    name: 'kill -9 of the harness as its agent meets a limit, and resume',
    task: CHECKED,
    // Longer than a busy machine takes to notice the end of the agent: the harness must be waiting when it is killed.
    ...limited(15_000, 1),
    kill: { atLog: 'end' },
    mustEnd: 'done',
    least: least(2, 1),
    fault: [logs('refusal', LIMITED), logs('harness killed')],
  },
];
