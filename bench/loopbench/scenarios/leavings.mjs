/** What agents leave running, what they spend, what they ask, and what they undo. */
import { CHECKED, CUT_OFF, DONE, least, logs, RIGHT, says, WRONG } from './parts.mjs';

const daemon = (keepsStdout) => [[{ daemon: { keepsStdout } }, ...RIGHT]];

const FILES = ['first.txt', 'second.txt'];
const partOf = (path) => ({ say: `${path} is there.` });
/** Each check logs what it finds, in the order in which the files were made. */
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
    calls: daemon(true),
    patienceMs: 20_000,
    mustEnd: 'done',
    least: least(1),
    witness: [{ what: 'a daemon with that stdout', seen: (events) => stdoutOf(events) !== '/dev/null' }],
  },
  {
    name: 'a daemon without a stdout',
    task: CHECKED,
    calls: daemon(false),
    mustEnd: 'done',
    least: least(1),
    witness: [logs('daemon', { stdout: '/dev/null' })],
  },
  {
    name: 'a budget of tokens that is crossed inside an iteration',
    task: { ...CHECKED, maxTokens: 2000 },
    calls: [[1, 2, 3].map((n) => ({ say: `Step ${n}.`, tokens: 900 })).concat({ hang: true })],
    patienceMs: 60_000,
    mustEnd: 'budget',
    least: least(1),
    witness: [logs('said', { tokens: 900 }, 3), CUT_OFF],
  },
  {
    name: 'an agent that is blocked',
    task: CHECKED,
    calls: [[{ say: '<response>BLOCKED: which question?</response>' }]],
    mustEnd: 'blocked',
    least: least(1),
    witness: [says('BLOCKED: which question?')],
  },
  {
    name: 'an agent that is stuck: it makes the same mistake again and again',
    task: { ...CHECKED, iterations: 10, endsWhenStuck: true },
    calls: [WRONG],
    mustEnd: 'stuck',
    least: least(4),
    witness: [logs('wrote', { content: '41\n' }, 4)],
  },
  {
    name: 'not stuck: an agent that makes another mistake each time',
    task: { ...CHECKED, iterations: 10, endsWhenStuck: true },
    calls: [...[38, 39, 40, 41].map((wrong) => [{ write: wrong }, { say: `It may be ${wrong}.` }]), RIGHT],
    mustEnd: 'done',
    least: least(5),
    witness: [38, 39, 40, 41].map((wrong) => logs('wrote', { content: `${wrong}\n` })),
  },
  {
    name: 'an agent that undoes finished work, and claims to be done',
    task: BOTH,
    files: Object.fromEntries(FILES.map((path) => [path, '?\n'])),
    calls: [FIRST, UNDOES],
    isTrue: bothAreThere,
    mustEnd: 'iterations',
    least: least(4),
    witness: [BROKEN_AGAIN, says(DONE)],
  },
  {
    name: 'the same, which then repairs it',
    task: BOTH,
    files: Object.fromEntries(FILES.map((path) => [path, '?\n'])),
    calls: [FIRST, UNDOES, REPAIRS],
    isTrue: bothAreThere,
    mustEnd: 'done',
    least: least(3),
    witness: [BROKEN_AGAIN, says(DONE, 2)],
  },
];

function stdoutOf(events) {
  return events.find(({ did }) => did === 'daemon')?.stdout ?? '/dev/null';
}

function bothAreThere(read) {
  return FILES.every((path) => read(path) === 'yes\n');
}
