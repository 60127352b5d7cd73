import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Program, startProgram } from '../../test/support/programs/program.ts';
import { isWithheld } from '../rehearsal/environment.ts';
import { lookAtNetwork } from '../rehearsal/namespace.ts';
import type { RehearseFlags } from './rehearse.ts';

/** Only the command, with its arguments as JSON. Inside a namespace, the command starts this same program again. */
const PROGRAM = `
  import { rehearseCommand } from './rehearse.ts';
  const [command, flags] = process.argv.slice(2).map((text) => JSON.parse(text));
  const self = [process.execPath, ...process.argv.slice(1)];
  const io = { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), self };
  rehearseCommand(command, flags, io).then(
    (code) => process.exit(code),
    (error) => { console.error(error.advice === undefined ? error : error.message + ' | ' + error.advice.hint); process.exit(error.advice?.exitCode ?? 70); },
  );`;

interface Scene {
  readonly cwd: string;
  start(command: readonly string[], flags?: RehearseFlags, env?: NodeJS.ProcessEnv): Program;
  write(name: string, content: string): void;
  read(name: string): string;
}

let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rehearse-cli-test-'));
  program = join(folder, 'program.cjs');
  const stdin = { contents: PROGRAM, resolveDir: import.meta.dirname };
  await build({ stdin, outfile: program, bundle: true, platform: 'node', format: 'cjs' });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function makeScene(): Scene {
  const cwd = testFolder();
  const { NODE_EXTRA_CA_CERTS: _, XDG_CACHE_HOME: __, ...rest } = process.env;
  // Without the keys of this machine, which the report would name.
  const own = Object.fromEntries(Object.entries(rest).filter(([name]) => !isWithheld(name)));
  return {
    cwd,
    start: (command, flags = {}, env = {}) =>
      startProgram([process.execPath, program, JSON.stringify(command), JSON.stringify(flags)], {
        cwd,
        env: { ...own, HOME: folder, ...env },
      }),
    write: (name, content) => writeFileSync(join(cwd, name), content),
    read: (name) => readFileSync(join(cwd, name), 'utf8'),
  };
}

/** Asks the model twice for its next turn, then exits with code 4. */
const AGENT = [
  process.execPath,
  '-e',
  `(async () => {
  for (const _ of [1, 2]) {
    const body = JSON.stringify({ model: 'm', tools: [{ name: 'Bash' }], messages: [{ role: 'user', content: 'go' }] });
    const reply = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body });
    console.log((await reply.json()).content[0].text);
  }
  process.exitCode = 4;
})()`,
];

const network = lookAtNetwork(process.env).kind;
const canShut = network !== 'open';

test('the command inherits the output, and the report says what was played and that the network was open', async () => {
  const { start, write } = makeScene();
  write('s.yaml', 'turns: [say: one, say: two, say: three]');
  expect(await start(AGENT, { script: 's.yaml', namespace: false }).exited).toEqual({
    code: 4,
    stdout: 'one\ntwo\n',
    stderr: 'Rehearsal: 2 requests, 2 turns played, 1 left\nNetwork: left open, as asked\n',
  });
});

test('the report names the variables that the real run has and the rehearsal does not', async () => {
  const { start, write } = makeScene();
  write('s.yaml', 'turns: [say: one, say: two]');
  const own = { ANTHROPIC_MODEL: 'mine', HTTPS_PROXY: 'http://proxy.example', IS_SANDBOX: '1' };
  const { stderr } = await start(AGENT, { script: 's.yaml', namespace: false }, own).exited;
  expect(stderr).toContain('\nWithheld, unlike in the real run: ANTHROPIC_MODEL, HTTPS_PROXY\n');
});

test.runIf(canShut)('the network is shut off if possible', async () => {
  const { start, write } = makeScene();
  write('s.yaml', 'turns: [say: one, say: two]');
  expect(await start(AGENT, { script: 's.yaml' }).exited).toEqual({
    code: 4,
    stdout: 'one\ntwo\n',
    stderr:
      'Rehearsal: 2 requests, 2 turns played, 0 left\n' +
      'Network: shut off by a namespace; only its loopback could be reached\n',
  });
  const { stdout } = await start(['cat', '/proc/self/net/dev']).exited;
  expect(stdout.match(/^ *[^ :|]+:/gm)?.map((name) => name.trim())).toEqual(['lo:']);
});

test.runIf(canShut).each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s passes through the namespace, and its death is %i', async (signal, code) => {
  const { start } = makeScene();
  const running = start(['sh', '-c', 'echo up; exec sleep 600']);
  await running.says('up');
  running.signal(signal);
  expect((await running.exited).code).toBe(code);
});

test.runIf(canShut)('a command that ends with its own code after a signal keeps it', async () => {
  const { start } = makeScene();
  const own = `process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1000); console.log('up');`;
  const running = start([process.execPath, '-e', own]);
  await running.says('up');
  running.signal('SIGTERM');
  expect((await running.exited).code).toBe(5);
});

test.runIf(canShut)('a killed ralph does not leave the command running', async () => {
  const { start } = makeScene();
  const running = start(['sh', '-c', 'echo up; exec sleep 600']);
  await running.says('up');
  running.signal('SIGKILL');
  // Resolves only when the command, which also holds the output open, is gone.
  expect((await running.exited).code).toBe('SIGKILL');
});

test.runIf(network !== 'shut')(
  'a machine that cannot shut the network off says why, or refuses if it must',
  async () => {
    const { start } = makeScene();
    const withoutUnshare = { PATH: '/nowhere' };
    const open = await start(['/bin/true'], {}, withoutUnshare).exited;
    expect(open.code).toBe(0);
    expect(open.stderr).toContain('Network: left open, because unshare is not installed (it is part of util-linux)\n');
    const refused = await start(['/bin/true'], { namespace: true }, withoutUnshare).exited;
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('The network cannot be shut off: unshare is not installed.');
  },
);

test('without a script the built-in one is played, and the report says so', async () => {
  const { start } = makeScene();
  const { stdout, stderr } = await start(AGENT, { namespace: false }).exited;
  expect(stdout).toContain('<response>DONE</response>');
  expect(stderr).toContain('Script: built in; `ralph rehearse --init` writes it to .ralph/rehearsal.yaml');
});

test('init writes a script and says what to type next, and that script can be played', async () => {
  const { start, read } = makeScene();
  expect(await start([], { init: true }).exited).toEqual({
    code: 0,
    stdout:
      'Wrote .ralph/rehearsal.yaml: what the model answers, turn by turn.\n' +
      'Try it: ralph rehearse -- ralph run -p "Write a note." -m 3\n',
    stderr: '',
  });
  expect(read('.ralph/rehearsal.yaml')).toMatch(
    /^# yaml-language-server: \$schema=.\/rehearsal-script.schema.json\n[\s\S]*turns:/,
  );
  expect(JSON.parse(read('.ralph/rehearsal-script.schema.json'))).toMatchObject({ type: 'object' });
  expect((await start(AGENT, { namespace: false }).exited).stderr).toContain('Script: .ralph/rehearsal.yaml\n');
  expect((await start([], { init: true, script: 'own.yaml' }).exited).stdout).toContain(
    'rehearse --script own.yaml --',
  );
});

test('requests are kept if asked for, readable only by their owner', async () => {
  const { cwd, start, read, write } = makeScene();
  write('s.yaml', 'turns: [say: one, say: two]');
  const { stderr } = await start(AGENT, { script: 's.yaml', record: 'asked.jsonl', namespace: false }).exited;
  expect(stderr).toContain('Requests: in asked.jsonl\n');
  const lines = read('asked.jsonl').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line)).filter(({ path }) => path === '/v1/messages')).toHaveLength(2);
  expect(statSync(join(cwd, 'asked.jsonl')).mode & 0o777).toBe(0o600);
});

test.each<[string, readonly string[], RehearseFlags, string]>([
  ['no command', [], {}, 'There is no command to rehearse.'],
  ['a command with --init', ['true'], { init: true }, 'With --init nothing is run.'],
  ['a script that is not there', ['touch', 'ran'], { script: 'none.json' }, 'none.json cannot be read (ENOENT).'],
  ['a record in no folder', ['touch', 'ran'], { record: 'none/a.jsonl' }, 'none/a.jsonl (ENOENT).'],
  ['a program that is not there', ['/nowhere/at-all'], {}, '/nowhere/at-all cannot be started (ENOENT).'],
])('%s is refused before anything runs', async (_, command, flags, message) => {
  const { cwd, start } = makeScene();
  const { code, stderr } = await start(command, flags).exited;
  expect(stderr).toContain(message);
  expect(code).toBe(2);
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});
