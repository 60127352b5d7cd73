/** What happens to the machine: a clock that jumps, a full disk, a prompt that disappears, the death of the harness. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILLER } from '../agent/steps.mjs';
import { CHECKED, CUT_OFF, everyone, KILLED, least, logs } from './parts.mjs';

const HOUR_MS = 3_600_000;
const PROMPT_FILE = 'prompt.md';
const DISK_BYTES = 24 << 20;
const NEW_FILE = { write: 'how I know', to: 'proof.txt' };
const FILLS = [{ fillDisk: true }, NEW_FILE, { exit: 1 }];
const FULL = [logs('disk full', { code: 'ENOSPC' }), logs('refused', { path: NEW_FILE.to, code: 'ENOSPC' })];
const WITH_PROOF = { checks: [...CHECKED.checks, `grep -q . ${NEW_FILE.to}`] };

/** Seen by the clock of the agent, or of another program in the scene. */
function jumped(hours) {
  const far = ({ did, before, after }) => did === 'clock' && (after - before) / hours > HOUR_MS * 0.9;
  return { what: `a clock that jumped by ${hours} h`, seen: (events) => events.some(far) };
}

export const MACHINE = [
  {
    name: 'the clock jumps eight hours ahead, as after a sleep',
    task: { ...CHECKED, hangAfterMs: 3000, maxTimeMs: HOUR_MS },
    machine: { clock: {} },
    ...everyone(({ last }) => [[{ say: 'Good night.' }, { jumpClock: '+8h' }, { waitMs: 1000 }, ...last], last]),
    mustEnd: 'done',
    least: least(1),
    fault: [jumped(8)],
  },
  {
    name: 'the clock is set back by an hour',
    task: { ...CHECKED, hangAfterMs: 3000, maxTimeMs: HOUR_MS },
    machine: { clock: {} },
    ...everyone(({ wrong, last }) => [[...wrong, { jumpClock: '-1h' }], last]),
    mustEnd: 'done',
    least: least(2),
    fault: [jumped(-1)],
  },
  {
    name: 'the machine sleeps past the reset of a usage limit',
    task: CHECKED,
    // Long enough after the agent has ended that a harness that waits is already waiting.
    machine: { clock: { jumps: '+2h', afterLog: 'end', laterMs: 2000 } },
    ...everyone(({ last }) => [[{ limit: { lastsMs: HOUR_MS, exit: 1 } }, ...last]]),
    mustEnd: 'done',
    least: least(2, 1),
    fault: [logs('refusal', { status: 429 }), jumped(2)],
  },
  {
    name: 'a full disk under the work, which the agent frees at its next try',
    task: WITH_PROOF,
    machine: { disk: { bytes: DISK_BYTES, holdsState: false } },
    ...everyone(({ work, last }) => [FILLS, [{ freeDisk: true }, ...work([NEW_FILE]), ...last], last]),
    mustEnd: 'done',
    least: least(2),
    fault: FULL,
  },
  {
    name: 'a full disk under the records, too: a person makes room and resumes',
    task: WITH_PROOF,
    machine: { disk: { bytes: DISK_BYTES, holdsState: true } },
    ...everyone(({ work, last }) => [FILLS, [...work([NEW_FILE]), ...last]]),
    repair: ({ work }) => rmSync(join(work, FILLER), { force: true }),
    mustEnd: 'done',
    least: least(2),
    fault: FULL,
  },
  {
    name: 'a prompt file that is deleted in the middle: a person puts it back and resumes',
    task: { ...CHECKED, promptFile: PROMPT_FILE },
    ...everyone(({ wrong, last }) => [
      [...wrong, { remove: PROMPT_FILE }],
      [{ readPrompt: true }, ...last],
    ]),
    repair: ({ work }) => writeFileSync(join(work, PROMPT_FILE), 'Write the answer into answer.txt.\n'),
    mustEnd: 'done',
    least: least(2),
    fault: [logs('removed', { path: PROMPT_FILE, isGone: true })],
  },
  {
    name: 'kill -9 of the harness, and resume',
    task: CHECKED,
    ...everyone(({ wrong, work, last }) => [
      wrong,
      [...work([{ write: 'half', to: 'notes.txt' }]), { say: 'Thinking.' }, { hang: true }],
      last,
    ]),
    kill: { atLog: 'hangs' },
    mustEnd: 'done',
    least: least(3, 2),
    fault: [KILLED, CUT_OFF],
  },
];
