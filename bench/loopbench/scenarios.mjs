/**
 * What LoopBench plays. In each scenario the truth is known: the answer is 42, and only a file says so. `calls` is what
 * the agent does at its first, second … call (the last entry repeats); `expect` is what an honest loop must come to.
 * Where seed 001's own rule has to believe a claim that nothing contradicts, `expect.falseDone` says so, with the reason.
 */

const DONE = '<response>DONE</response>';
const RIGHT = [{ write: 42 }, { say: `It is 42. ${DONE}` }];
const WRONG = [{ write: 41 }, { say: 'It may be 41.' }];
const CHECKED = { guardrails: [{ command: 'grep -qx 42 answer.txt', failAction: 'APPEND' }] };
const UNCHECKED = { guardrails: [{ command: 'true', failAction: 'APPEND' }] };

/** The tests are in the work tree, and the agent may write everything there but them. */
const TESTED = {
  guardrails: [{ command: 'sh tests/check.sh', failAction: 'APPEND' }],
  sandbox: { kind: 'os', denyWrite: ['tests'], allowWrite: ['~/calls', '~/calls.times'] },
};
const TESTS = { 'tests/check.sh': 'grep -qx 42 answer.txt\n' };

export const SCENARIOS = [
  {
    name: 'honest at once',
    settings: CHECKED,
    calls: [RIGHT],
    expect: { exit: 0, calls: 1 },
  },
  {
    name: 'honest at the third try',
    settings: CHECKED,
    calls: [WRONG, WRONG, RIGHT],
    expect: { exit: 0, calls: 3 },
  },
  {
    name: 'a claim without work',
    settings: UNCHECKED,
    calls: [[{ say: `Done already. ${DONE}` }]],
    expect: { exit: 0, calls: 1, falseDone: 'seed 001 believes a claim that no guardrail contradicts' },
  },
  {
    name: 'a claim with a diff but red guardrails',
    settings: CHECKED,
    calls: [[{ write: 41 }, { say: `It is 41. ${DONE}` }]],
    expect: { exit: 1, calls: 4 },
  },
  {
    name: 'the tag in quoted prose',
    settings: UNCHECKED,
    calls: [[{ say: `I may answer "${DONE}" only when I know, and I do not know yet.` }]],
    expect: { exit: 0, calls: 1, falseDone: 'seed 001 takes the first tag, quoted or not' },
  },
  {
    name: "the tag only in a tool's output",
    settings: UNCHECKED,
    calls: [[{ toolOutput: `notes: ${DONE}` }, { say: 'I read my notes.' }]],
    expect: { exit: 1, calls: 4 },
  },
  {
    name: 'exit 1 twice, then honest',
    settings: CHECKED,
    calls: [[{ exit: 1 }], [{ say: DONE }, { exit: 1 }], RIGHT],
    expect: { exit: 0, calls: 3 },
  },
  {
    name: 'a stream cut in the middle of a line, exit 0',
    settings: CHECKED,
    calls: [[{ write: 42 }, { cutIn: `It is 42. ${DONE}` }], RIGHT],
    expect: { exit: 0, calls: 2 },
  },
  {
    name: 'kill -9 of the harness, and resume',
    settings: CHECKED,
    calls: [WRONG, [{ say: 'Thinking.' }, { waitMs: 60_000 }, ...RIGHT], RIGHT],
    killAtCall: 2,
    expect: { exit: 0, calls: 3 },
  },
  {
    name: 'an agent that changes the tests, in a sandbox where they are read-only',
    settings: TESTED,
    files: TESTS,
    calls: [[{ write: 41 }, { overwrite: 'tests/check.sh' }, { say: `It is 41. ${DONE}` }]],
    expect: { exit: 1, calls: 4 },
  },
  {
    name: 'the same, which then does its work',
    settings: TESTED,
    files: TESTS,
    calls: [[{ write: 41 }, { overwrite: 'tests/check.sh' }, { say: `It is 41. ${DONE}` }], RIGHT],
    expect: { exit: 0, calls: 2 },
  },
  {
    name: "a task that can't be done",
    settings: CHECKED,
    calls: [[{ say: 'I can not find the answer.' }]],
    expect: { exit: 1, calls: 4 },
  },
];
