/** CommonJS code for each Node.js program of a check. It is text here, because it does not run in ralph. */

/** The beginning of each JavaScript file of the kit. `KIT` is the kit's folder. */
const SHARED = String.raw`'use strict';
const { randomBytes } = require('crypto');
const { writeFileSync } = require('fs');
const { dirname, join } = require('path');

const KIT = __dirname;
const { env } = process;

// Empty until the runner writes to it, so that a runner that is cut off leaves an unreadable report.
function newReport(ending) {
  const file = join(dirname(KIT), process.pid + '-' + randomBytes(6).toString('hex') + ending);
  writeFileSync(file, '', { flag: 'wx' });
  return file;
}

// Programs that the tests start are not part of the check, so they must not see our variables.
function leaveEnvironment() {
  const { words, folders } = require(join(KIT, 'environment.json'));
  const without = {
    ...Object.fromEntries(Object.entries(words).map(([name, own]) => [name, (env[name] || '').replace(own, '').trim()])),
    ...Object.fromEntries(
      Object.entries(folders).map(([name, own]) => [name, (env[name] || '').split(':').filter((one) => one !== own).join(':')]),
    ),
  };
  for (const [name, value] of Object.entries(without)) {
    if (env[name] === undefined) continue;
    if (value === '') delete env[name];
    else env[name] = value;
  }
}
`;

export const NODE_PRELOAD = `${SHARED}${String.raw`
const { spawnSync } = require('child_process');
const { basename } = require('path');
const { isMainThread } = require('worker_threads');

const { argv, execArgv } = process;
const has = (...flags) => argv.slice(2).some((word) => flags.includes(word.split('=')[0]));

// Recognized by the names of their programs. Calls that do not run tests are left alone.
const RUNNERS = [
  {
    names: ['vitest', 'vitest.mjs'],
    isRun: () => !/^(?:bench|list|init|typecheck)$/.test(argv[2] || '') && !has('--outputFile', '--outputFile.junit', '--help', '-h', '--version', '-v'),
    flags: () => [
      ...(has('--reporter') ? [] : ['--reporter=default']),
      '--reporter=junit',
      '--outputFile.junit=' + newReport('.xml'),
    ],
  },
  {
    names: ['jest', 'jest.js', 'jest-cli'],
    isRun: () =>
      !has('--json', '--outputFile', '--listTests', '--showConfig', '--init', '--clearCache', '--help', '-h', '--version', '-v'),
    flags: () => ['--json', '--outputFile=' + newReport('.json')],
  },
  {
    names: ['mocha', 'mocha.js', '_mocha'],
    isRun: () => !has('--list-files', '--list-reporters', '--list-interfaces', '--dry-run', '--help', '-h', '--version', '-V', '--watch', '-w'),
    // Mocha can have only one reporter, and that is the user's.
    flags: () => ['--require=' + join(KIT, 'mocha.cjs')],
  },
];

function count() {
  if (!isMainThread || env.NODE_TEST_CONTEXT !== undefined) return;
  if (execArgv.includes('--test') && !execArgv.includes('--watch')) {
    if (process.allowedNodeEnvironmentFlags.has('--test-reporter')) runTests();
    return;
  }
  const name = basename(argv[1] || '');
  const runner = RUNNERS.find(({ names, isRun }) => names.includes(name) && isRun());
  if (runner === undefined) return;
  argv.splice(argv[2] === 'run' ? 3 : 2, 0, ...runner.flags());
  leaveEnvironment();
}

// Node accepts reporters only on its command line, each with a destination: start it again with one more of both.
function runTests() {
  const isGiven = (flag) => execArgv.some((word) => word.split('=')[0] === flag);
  const own = isGiven('--test-reporter') ? [] : ['--test-reporter=spec'];
  const place = isGiven('--test-reporter-destination') ? [] : ['--test-reporter-destination=stdout'];
  const more = ['--test-reporter=junit', '--test-reporter-destination=' + newReport('.xml')];
  leaveEnvironment();
  // The user's flags come first, so that reporters and destinations stay in the same order.
  const words = [...execArgv, ...own, ...place, ...more, ...argv.slice(1)];
  const { status, signal, error } = spawnSync(process.execPath, words, { stdio: 'inherit' });
  if (error) throw error;
  if (signal !== null) process.kill(process.pid, signal);
  process.exit(status === null ? 1 : status);
}

try {
  count();
} catch (error) {
  // If the tests cannot be counted, the check still runs.
}
`}`;

export const MOCHA_HOOK = `${SHARED}${String.raw`
const { createRequire } = require('module');
const { realpathSync } = require('fs');

function count() {
  // The project's own mocha: the one whose program was called. Since mocha 12, it is a module with a default export.
  const mocha = createRequire(realpathSync.native(process.argv[1]))('mocha');
  const Mocha = typeof mocha === 'function' ? mocha : mocha.default;
  const { run } = Mocha.prototype;
  Mocha.prototype.run = function (...given) {
    const file = newReport('.json');
    const found = { passes: [], failures: [], pending: [] };
    const runner = run.apply(this, given);
    const keep = (list) => (test) => list.push({ fullTitle: test.fullTitle() });
    runner.on('pass', keep(found.passes)).on('fail', keep(found.failures)).on('pending', keep(found.pending));
    runner.on('end', () => writeFileSync(file, JSON.stringify(found)));
    return runner;
  };
}

try {
  count();
} catch (error) {
  // If the tests cannot be counted, the check still runs.
}
`}`;

/** `node tee.cjs <go or cargo, or its path> <arguments>`: runs the program and keeps a copy of its output. */
export const TEE = `${SHARED}${String.raw`
const { spawn } = require('child_process');
const { basename } = require('path');
const { accessSync, appendFileSync, constants } = require('fs');

const [name, ...given] = process.argv.slice(2);
leaveEnvironment();
const program = name.includes('/') ? name : (env.PATH || '').split(':').map((folder) => join(folder, name)).find(isProgram);
const isGo = basename(name) === 'go';
const isJson = given.some((word) => /^--?json(?:=|$)/.test(word));
const test = given.findIndex((word, at) => /^t(?:est)?$/.test(word) && given[at - 1] !== '-C') + 1;
const words = isGo && !isJson ? [...given.slice(0, test), '-json', ...given.slice(test)] : given;
const file = newReport('.txt');

// Cargo's own messages go to stderr: merge them with the output of the tests, in order.
const [command, ...rest] = isGo ? [program, ...words] : ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', program, ...words];
const child = spawn(command, rest, { stdio: ['inherit', 'pipe', 'inherit'] });
let begun = '';
child.stdout.setEncoding('utf8');
child.stdout.on('data', (text) => {
  appendFileSync(file, text);
  if (!isGo || isJson) return void process.stdout.write(text);
  const lines = (begun + text).split('\n');
  begun = lines.pop();
  for (const line of lines) process.stdout.write(plain(line + '\n'));
});
child.on('close', (code, signal) => {
  process.stdout.write(plain(begun));
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = code === null ? 1 : code;
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => child.kill(signal));

// What go would have printed without -json.
function plain(line) {
  try {
    const { Action: action, Output: output } = JSON.parse(line);
    if (typeof action === 'string') return typeof output === 'string' ? output : '';
  } catch (error) {
    // Not an event of go: the tests printed this line.
  }
  return line;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    return false;
  }
}
`}`;
