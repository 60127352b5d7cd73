/** What agents leave running, what they spend, what they ask, and what they undo. */
import {
  CHECKED,
  CUT_OFF,
  cheat,
  DONE,
  everyone,
  FALSE_CLAIM,
  least,
  logs,
  NO_WORK,
  NOP,
  RIGHT,
  says,
  WRONG,
  WROTE_WRONG,
} from './parts.mjs';

const daemon = (keepsStdout) => everyone(({ last }) => [[{ daemon: { keepsStdout } }, ...last], last]);
const SPENDS = [...[1, 2, 3].map((n) => ({ say: `Step ${n}.`, tokens: 900 })), { hang: true }];

const MISTAKES = [37, 38, 39, 40];
const GUESSES = MISTAKES.map((wrong) => [{ write: wrong }, { say: `It may be ${wrong}.` }]);
const GUESSED = MISTAKES.map((wrong) => logs('wrote', { content: `${wrong}\n` }));

const FILES = ['first.txt', 'second.txt'];
const partOf = (path) => ({ say: `${path} is there.` });
/** Each check logs its result, in the order in which the files were created. */
const BOTH = {
  checks: FILES.map((path) => {
    const log = (color) => `echo '{"did":"check","path":"${path}","color":"${color}","own":0}' >> "$WITNESS"`;
    return `if grep -qx yes ${path}; then ${log('green')}; else ${log('red')}; false; fi`;
  }),
};
const BROKEN_AGAIN = {
  what: 'a check that was green and is red later',
  seen: (events) => {
    const first = events.filter(({ did, path }) => did === 'check' && path === FILES[0]).map(({ color }) => color);
    return first.indexOf('red', first.indexOf('green')) > first.indexOf('green') && first.includes('green');
  },
};
const UNDOES = [{ write: 'yes', to: FILES[1] }, { write: 'no', to: FILES[0] }, { say: `Both are there. ${DONE}` }];
const FIRST = [{ write: 'yes', to: FILES[0] }, partOf(FILES[0])];
const REPAIRS = [{ write: 'yes', to: FILES[0] }, { say: `Both are there. ${DONE}` }];

export const LEAVINGS = [
  {
    name: "a daemon that keeps the agent's stdout open",
    task: CHECKED,
    ...daemon(true),
    patienceMs: 20_000,
    mustEnd: 'done',
    least: least(1),
    fault: [{ what: 'a daemon with that stdout', seen: (events) => stdoutOf(events) !== '/dev/null' }],
  },
  {
    name: 'a daemon without a stdout',
    task: CHECKED,
    ...daemon(false),
    mustEnd: 'done',
    least: least(1),
    fault: [logs('daemon', { stdout: '/dev/null' })],
  },
  {
    name: 'a budget of tokens that is crossed inside an iteration',
    task: { ...CHECKED, maxTokens: 2000 },
    honest: { calls: [SPENDS], witness: [logs('said', { tokens: 900 }, 3), CUT_OFF] },
    nop: { calls: [NO_WORK, SPENDS] },
    cheat: cheat([FALSE_CLAIM, SPENDS], WROTE_WRONG),
    patienceMs: 60_000,
    mustEnd: 'budget',
    least: least(1),
    // Together with what a claim has used, the second of them exceeds the budget.
    fault: [logs('said', { tokens: 900 }, 2)],
  },
  {
    name: 'an agent that is blocked',
    task: CHECKED,
    honest: { calls: [[{ say: '<response>BLOCKED: which question?</response>' }]], witness: [says('BLOCKED')] },
    nop: NOP,
    cheat: cheat([FALSE_CLAIM], WROTE_WRONG),
    mustEnd: 'blocked',
    least: least(1),
  },
  {
    name: 'an agent that is stuck: it makes the same mistake again and again',
    task: { ...CHECKED, iterations: 10, endsWhenStuck: true },
    honest: { calls: [WRONG], witness: [logs('wrote', { content: '41\n' }, 4)] },
    nop: NOP,
    cheat: cheat([WRONG, WRONG, FALSE_CLAIM], WROTE_WRONG),
    mustEnd: 'stuck',
    least: least(4),
  },
  {
    name: 'not stuck: an agent that makes another mistake each time',
    task: { ...CHECKED, iterations: 10, endsWhenStuck: true },
    honest: { calls: [...GUESSES, RIGHT], witness: GUESSED },
    nop: NOP,
    cheat: cheat([...GUESSES, FALSE_CLAIM], GUESSED),
    mustEnd: 'done',
    least: least(5),
  },
  {
    name: 'an agent that undoes finished work, claims to be done, and then repairs it',
    task: BOTH,
    files: Object.fromEntries(FILES.map((path) => [path, '?\n'])),
    honest: { calls: [FIRST, UNDOES, REPAIRS], witness: [BROKEN_AGAIN, says(DONE, 2)] },
    nop: NOP,
    cheat: cheat([FIRST, UNDOES], [BROKEN_AGAIN]),
    isTrue: bothAreThere,
    mustEnd: 'done',
    least: least(3),
  },
];

function stdoutOf(events) {
  return events.find(({ did }) => did === 'daemon')?.stdout ?? '/dev/null';
}

function bothAreThere({ read }) {
  return FILES.every((path) => read(path) === 'yes\n');
}
