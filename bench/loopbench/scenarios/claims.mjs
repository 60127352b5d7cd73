/** Is "done" true? Claims with and without work behind them, and agents that work against their checks. */
import { CHECKED, DONE, FALSE_CLAIM, least, logs, RIGHT, says, UNCHECKED, WRONG } from './parts.mjs';

/** The tests are in the work tree, and the agent may write everything there but them. */
const TESTED = { checks: ['sh tests/check.sh'], protect: ['tests'] };
const TESTS = { 'tests/check.sh': 'grep -qx 42 answer.txt\n' };
const CHEAT = [{ write: 41 }, { write: 'exit 0', to: 'tests/check.sh' }, { say: `It is 41. ${DONE}` }];
const TRIED = {
  what: 'an attempt to write the tests',
  seen: (events) => events.some(({ did, path }) => ['wrote', 'refused'].includes(did) && path === 'tests/check.sh'),
};

export const CLAIMS = [
  {
    name: 'honest at once',
    task: CHECKED,
    calls: [RIGHT],
    mustEnd: 'done',
    least: least(1),
    witness: [logs('wrote', { content: '42\n' }), says(DONE)],
  },
  {
    name: 'honest at the third try',
    task: CHECKED,
    calls: [WRONG, WRONG, RIGHT],
    mustEnd: 'done',
    least: least(3),
    witness: [logs('wrote', { content: '41\n' }, 2), says(DONE)],
  },
  {
    name: 'a claim without work',
    task: UNCHECKED,
    calls: [[{ say: `Done already. ${DONE}` }]],
    mustEnd: 'iterations',
    least: least(4),
    believed: 'no check contradicts the claim',
    witness: [says(DONE)],
  },
  {
    name: 'a claim with a diff but red guardrails',
    task: CHECKED,
    calls: [FALSE_CLAIM],
    mustEnd: 'iterations',
    least: least(4),
    witness: [logs('wrote', { content: '41\n' }), says(DONE)],
  },
  {
    name: 'the tag in quoted prose',
    task: UNCHECKED,
    calls: [[{ say: `I may answer "${DONE}" only when I know, and I do not know yet.` }]],
    mustEnd: 'iterations',
    least: least(4),
    believed: 'no check contradicts the tag, quoted or not',
    witness: [says(`"${DONE}"`)],
  },
  {
    name: "the tag only in a tool's output",
    task: UNCHECKED,
    calls: [[{ toolOutput: `notes: ${DONE}` }, { say: 'I read my notes.' }]],
    mustEnd: 'iterations',
    least: least(4),
    witness: [logs('tool output', { text: `notes: ${DONE}` })],
  },
  {
    name: 'exit 1 twice, then honest',
    task: CHECKED,
    calls: [[{ exit: 1 }], [{ say: DONE }, { exit: 1 }], RIGHT],
    mustEnd: 'done',
    least: least(3),
    witness: [logs('end', { exit: 1 }, 2)],
  },
  {
    name: 'a stream cut in the middle of a line, exit 0',
    task: CHECKED,
    calls: [[{ write: 42 }, { cutIn: `It is 42. ${DONE}` }], RIGHT],
    mustEnd: 'done',
    least: least(2),
    witness: [logs('cut')],
  },
  {
    name: 'an agent that changes the tests, in a sandbox where they are read-only',
    task: TESTED,
    files: TESTS,
    calls: [CHEAT],
    mustEnd: 'iterations',
    least: least(4),
    witness: [TRIED],
  },
  {
    name: 'the same, which then does its work',
    task: TESTED,
    files: TESTS,
    calls: [CHEAT, RIGHT],
    mustEnd: 'done',
    least: least(2),
    witness: [TRIED],
  },
  {
    name: "a task that can't be done",
    task: CHECKED,
    calls: [[{ say: 'I can not find the answer.' }]],
    mustEnd: 'iterations',
    least: least(4),
    witness: [says('I can not find', 1)],
  },
];
