/** `npm run demo`: installs, builds, and shows a real loop in a new git repository with the built-in scripted agent. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureBuilt, ensureInstalled, environmentOfChildren, root, SetupError } from './setup.mjs';

const PROMPT =
  'Write greet(name) in greet.js so that the tests pass. When you are done, answer <response>DONE</response>.';

const TEST = `const assert = require('node:assert');
const test = require('node:test');
const greet = require('./greet.js');

test('greets by name', () => assert.equal(greet('Ralph'), 'Hello, Ralph!'));
test('greets a stranger', () => assert.equal(greet(''), 'Hello, stranger!'));
`;

const FIRST_TRY = 'module.exports = (name) => `Hello, ${name}!`;\n';
const SECOND_TRY = "module.exports = (name) => `Hello, ${name || 'stranger'}!`;\n";

/** The scripted agent mends its mistake only when the guardrail's output has reached its prompt. */
const SCRIPT = {
  paceMs: 350,
  replies: [
    { match: 'commit message', steps: [{ say: 'Greet strangers too' }] },
    {
      match: "'Hello, stranger!'",
      steps: [
        { say: 'The test for an empty name failed: a stranger has no name. I give them one.' },
        { write: { path: 'greet.js', content: SECOND_TRY } },
        { run: 'node --test --test-reporter=tap | tail -n 8 | head -n 3' },
        { say: 'Both tests pass now.\n<response>DONE</response>' },
      ],
    },
    {
      steps: [
        { say: 'I write greet(name) first.' },
        { write: { path: 'greet.js', content: FIRST_TRY } },
        { say: 'That should be all.\n<response>DONE</response>' },
      ],
    },
  ],
};

/** A machine without a git identity can commit, too. */
const identity = {
  GIT_AUTHOR_NAME: 'Ralph',
  GIT_AUTHOR_EMAIL: 'ralph@example.com',
  GIT_COMMITTER_NAME: 'Ralph',
  GIT_COMMITTER_EMAIL: 'ralph@example.com',
};

try {
  ensureInstalled();
  await ensureBuilt();
  const folder = makeProject();
  process.exitCode = runLoop(folder);
  if (process.exitCode === 0) sayWhatNext(folder);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function makeProject() {
  const folder = join(mkdtempSync(join(tmpdir(), 'ralph-demo-')), 'project');
  const settings = {
    agent: {
      command: join(root, 'bin/scripted-agent.cjs'),
      flags: ['--script', join(folder, '.ralph/demo-script.json')],
    },
    guardrails: [{ command: 'node --test', failAction: 'APPEND', hint: 'Fix greet.js, not the test.' }],
    scm: { command: 'git', tasks: ['commit'] },
  };
  mkdirSync(join(folder, '.ralph'), { recursive: true });
  writeFileSync(join(folder, '.ralph/demo-script.json'), `${JSON.stringify(SCRIPT, null, 2)}\n`);
  writeFileSync(join(folder, '.ralph/settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
  writeFileSync(join(folder, 'greet.js'), 'module.exports = () => { throw new Error("not written yet"); };\n');
  writeFileSync(join(folder, 'greet.test.js'), TEST);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message=A test and nothing to pass it');
  return folder;
}

function runLoop(cwd) {
  console.log(`\nA new project in ${cwd}, its test red. The loop:\n\n  $ ralph run -p "${PROMPT}" -m 5`);
  const args = [join(root, 'bin/ralph.cjs'), 'run', '-p', PROMPT, '-m', '5'];
  // Beside the project: the lock of a loop is a link that leads nowhere, and `node --test` follows every link it finds.
  const env = { ...environmentOfChildren(), ...identity, XDG_STATE_HOME: join(dirname(cwd), 'state') };
  const { status } = spawnSync(process.execPath, args, { cwd, env, stdio: 'inherit' });
  return status ?? 1;
}

function sayWhatNext(folder) {
  console.log(`\nWhat git has:\n${git(folder, 'log', '--stat', '--format=  %h %s')}`);
  console.log(`The agent said DONE twice. The first time its test was red, so ralph rejected it.

The folder:  ${folder}
To do the same with a real agent, in a project of yours:

  mkdir -p .ralph
  echo '{"agent": {"command": "claude", "flags": ["--dangerously-skip-permissions"]},
         "guardrails": [{"command": "npm test", "failAction": "APPEND"}],
         "scm": {"command": "git", "tasks": ["commit"]}}' > .ralph/settings.json
  ${join(root, 'bin/ralph.cjs')} run -p "…what you want done… When it is done, answer <response>DONE</response>." -m 10
`);
}

function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...process.env, ...identity } });
}
