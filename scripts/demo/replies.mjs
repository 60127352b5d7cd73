/** What the scripted agent of the demo plays in each act, and the files that it works on. */

const HELLO = '(name) => `Hello, ${name}!`';
const HELLO_STRANGER = "(name) => `Hello, ${name || 'stranger'}!`";
const BYE = '(name) => `Bye, ${name}!`';
const BYE_STRANGER = "(name) => `Bye, ${name || 'stranger'}!`";

const GREETS = ["greet('Ada')", 'Hello, Ada!', "greet('')", 'Hello, stranger!'];
const PARTS = ["bye('Ada')", 'Bye, Ada!'];
const PARTS_FROM_STRANGERS = ["bye('')", 'Bye, stranger!'];

/** Arguments of the agent's `write` steps. */
const code = (greet, bye) => ({
  path: 'hello.js',
  content: `exports.greet = ${greet};\n${bye ? `exports.bye = ${bye};\n` : ''}`,
});
const tests = (...cases) => ({ path: 'test.js', content: testFile(cases.flat()) });
const plan = (...ticks) => ({
  path: 'PLAN.md',
  content: `Do the first open item.

- [${ticks[0] ?? ' '}] bye(name), with a test
- [${ticks[1] ?? ' '}] bye('') says goodbye to a stranger, with a test

Tick it off here, and keep npm test green. When no item is open, answer <response>DONE</response>.
`,
});

/** Nothing is written yet, so the test is red. */
export const FIRST_FILES = [code('() => undefined'), tests(GREETS), plan(), { path: 'NOTES.md', content: '' }];

const commitMessage = (message) => ({ match: 'commit message', steps: [{ say: message }] });

/** The agent corrects its mistake only once its prompt has the output of the check. */
export const FALSE_THEN_TRUE = [
  {
    match: 'not "Hello, stranger!"',
    steps: [
      { say: 'A stranger has no name. I give them one.' },
      { write: code(HELLO_STRANGER) },
      { say: 'Now they do. <response>DONE</response>' },
    ],
  },
  {
    steps: [
      { say: 'I write greet(name).' },
      { write: code(HELLO) },
      { say: 'All tests pass! <response>DONE</response>' },
    ],
  },
];

/** What the agent writes first in its second iteration. */
export const HALF_DONE = code(HELLO_STRANGER, BYE_STRANGER);

/**
 * One item of the plan per iteration. With `hangs`, the agent stops in the middle of the second and is killed there.
 */
export function oneItemAtATime({ hangs }) {
  return [
    commitMessage(hangs ? 'Say goodbye' : 'Say goodbye to strangers'),
    {
      match: '[x] bye(name)',
      steps: [
        { write: HALF_DONE },
        ...(hangs ? [{ run: 'sleep 60' }] : []),
        { write: tests(GREETS, PARTS, PARTS_FROM_STRANGERS) },
        { write: plan('x', 'x') },
        { say: 'No item is open. <response>DONE</response>' },
      ],
    },
    {
      steps: [
        { write: code(HELLO_STRANGER, BYE) },
        { write: tests(GREETS, PARTS) },
        { write: plan('x') },
        { say: 'One item is left.' },
      ],
    },
  ];
}

/** Also writes where it must not; `../precious.txt` is still in the temporary folder. */
export const WRITES_OUTSIDE = [
  commitMessage('Note what greet does'),
  {
    steps: [
      { run: "echo 'Written by the agent.' > ../precious.txt" },
      { write: { path: 'NOTES.md', content: 'greet(name) says hello, also to a stranger.\n' } },
      { say: 'The notes are written. <response>DONE</response>' },
    ],
  },
];

/** `cases`: calls and their expected results, in turn. */
function testFile(cases) {
  const calls = cases.filter((_, index) => index % 2 === 0);
  const checks = calls.map((call, index) => `same(${JSON.stringify(call)}, ${call}, '${cases[2 * index + 1]}');`);
  return `const { greet, bye } = require('./hello.js');

function same(call, got, wanted) {
  if (got === wanted) return;
  console.log(\`\${call} gives "\${got}", not "\${wanted}"\`);
  process.exitCode = 1;
}

${checks.join('\n')}
`;
}
