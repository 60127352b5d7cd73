/** Bugs that were fixed and must not come back: processes, exits, commits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runThroughPipe } from '../../src/process/command.ts';
import { containmentOf } from '../../src/process/containment/containment.ts';
import { readExitFile } from '../../src/process/containment/exit-wrapper.ts';
import { thisHost } from '../../src/process/host.ts';
import { LaunchError } from '../../src/process/launch.ts';
import { publish } from '../../src/scm/publish.ts';
import { claimAttempt } from '../../src/state/run-files.ts';
import { testFolder } from '../support/folder.ts';
import { testRepository } from '../support/git/repository.ts';
import { filesOf, shell, start } from '../support/programs/launching.ts';
import { nodeProgram, startProgram } from '../support/programs/node-program.ts';
import { endProcessesOf, processesOf as inFolder } from '../support/programs/processes.ts';

test('an exit file that could not be written (full disk) is not success', () => {
  const file = join(testFolder(), 'exit');
  writeFileSync(file, '');
  expect(readExitFile(file)).not.toEqual({ by: 'code', code: 0 });
});
for (const [name, argv] of Object.entries({
  e2big: ['true', 'x'.repeat(200_000)],
  notdir: ['/etc/passwd/x'],
  nul: ['sh', 'a\0b'],
}))
  test(`${name} is a LaunchError`, async () => {
    await expect(start(containmentOf('group'), { ...shell(''), argv: argv as unknown as [string] })).rejects.toThrow(
      LaunchError,
    );
  });
test('publishing with a missing scm program fails', async () => {
  const repo = testRepository();
  const { folder, name } = claimAttempt(testFolder(), '1/publish/0');
  expect(
    await publish(
      {
        what: { index: 0, command: '/not/there', task: 'push', message: '', stage: 'tracked' },
        cwd: repo.cwd,
        folder,
        name,
        mark: folder,
        cutOff: [],
        extraEnv: {},
        signal: new AbortController().signal,
        grace: 100,
      },
      repo.host,
    ),
  ).toMatchObject({ status: 'failed' });
});
test('a command that cannot be started leaks no descriptor', async () => {
  const folder = testFolder();
  const host = thisHost({ PATH: process.env.PATH }, 'group');
  const fds = () => readdirSync('/proc/self/fd').length;
  const before = fds();
  for (let i = 0; i < 5; i++)
    await runThroughPipe(
      {
        argv: ['true', 'x'.repeat(200_000)],
        cwd: folder,
        folder,
        mark: `m${i}`,
        output: join(folder, 'o'),
        extraEnv: {},
        signal: new AbortController().signal,
        grace: 10,
      },
      host,
    ).catch(String);
  expect(fds()).toBe(before);
});
test('a disk that fills up under a guardrail is reported, and nothing is left running', async () => {
  const folder = testFolder();
  onTestFinished(() => void endProcessesOf(folder));
  const program = await nodeProgram(`
    import { runCheck } from './src/checks/index.ts';
    import { faultMessage } from './src/core/system-fault.ts';
    import { thisHost } from './src/process/host.ts';
    const folder = process.argv[2];
    const check = { kind: 'command', given: { command: 'yes; : ' + folder }, index: 0, log: 'log', keepChars: 10, timeoutMs: null };
    const run = { check, cwd: folder, folder, name: 'n', mark: folder, extraEnv: {}, grace: 100 };
    const signal = new AbortController().signal;
    await runCheck({ ...run, signal, expired: () => null }, thisHost(process.env, 'group')).catch((error) => {
      console.log(faultMessage(error));
    });`);
  const limited = ['-c', 'ulimit -f 200; exec "$@"', 'sh', process.execPath, program, folder];
  const child = spawn('sh', limited, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await once(child, 'close');
  expect(said).toContain(`cannot write ${folder}/log: file too large`);
  expect(inFolder(folder)).toEqual([]);
});
test('a supervisor that dies does not break the hook of a commit that prints', async () => {
  const repo = testRepository();
  repo.hook('pre-commit', ': >in-hook; until [ -e go ]; do sleep 0.01; done; echo checking; echo checked; : >after');
  repo.write('work', 'more\n');
  const { folder, name } = claimAttempt(testFolder(), '1/publish/0');
  onTestFinished(() => void endProcessesOf(folder));
  const program = await nodeProgram(`
    import { publish } from './src/scm/publish.ts';
    import { thisHost } from './src/process/host.ts';
    const { run, env } = JSON.parse(process.argv[2]);
    await publish({ ...run, signal: new AbortController().signal }, thisHost(env, null));`);
  const what = { index: 0, command: 'git', task: 'commit', message: 'Add it', stage: 'tracked' };
  const supervisor = startProgram(program, [
    JSON.stringify({
      run: { what, cwd: repo.cwd, folder, name, mark: folder, cutOff: [], extraEnv: {}, grace: 5000 },
      env: repo.host.env,
    }),
  ]);
  await filesOf(repo.cwd).made('in-hook');
  supervisor.kill('SIGKILL');
  await once(supervisor, 'exit');
  repo.write('go', '');
  await expect
    .poll(() => repo.git('log', '--format=%s').trim().split('\n'), { timeout: 3000 })
    .toEqual(['Add it', 'begin']);
});
test('an interrupted commit is recognised even if git cleaned up its message', async () => {
  const repo = testRepository();
  const loop = testFolder();
  const attempt = () => {
    const { folder, name, cutOff } = claimAttempt(loop, '1/publish/0');
    return publish(
      {
        what: { index: 0, command: 'git', task: 'commit', message: 'Add it  \n\n\n\nBody', stage: 'tracked' },
        cwd: repo.cwd,
        folder,
        name,
        mark: join(folder, name),
        cutOff: cutOff.map((c) => ({ name: c.name, mark: join(folder, c.name) })),
        extraEnv: {},
        signal: new AbortController().signal,
        grace: 100,
      },
      repo.host,
    );
  };
  repo.write('work', 'more\n');
  const first = await attempt();
  repo.write('work', 'and more\n');
  expect(await attempt()).toEqual(first);
});
