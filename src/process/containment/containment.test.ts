import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { inPidNamespace, pidNamespacesWork } from './containment.ts';

const asRoot = process.getuid?.() === 0;

test('only a user who is not root needs a user namespace', () => {
  expect(inPidNamespace(['agent', '-x'], true)).not.toContain('--user');
  expect(inPidNamespace(['agent', '-x'], false)).toEqual(expect.arrayContaining(['--user', '--map-current-user']));
  expect(inPidNamespace(['agent', '-x'], true).slice(-2)).toEqual(['agent', '-x']);
});

describe.runIf(pidNamespacesWork(asRoot))('inside', () => {
  function run(lines: string): SpawnSyncReturns<string> {
    const [command, ...args] = inPidNamespace(['sh', '-c', lines], asRoot);
    return spawnSync(command, args, { encoding: 'utf8' });
  }

  test('the agent is not pid 1: a signal ends it, and its exit code tells', () => {
    expect(run('[ $$ -ne 1 ] && kill -TERM $$; sleep 60').status).toBe(143);
  });

  test('/proc shows this run and nothing else', () => {
    const { stdout } = run('ls -d /proc/[0-9]*');
    const pids = stdout.trim().split('\n');
    expect(pids).toContain('/proc/1');
    expect(pids.length).toBeLessThan(6);
  });

  test('the exit of the agent is the end of everything', () => {
    const { status, stdout } = run('env -i setsid sh -c "sleep 60; :" & exit 5');
    expect(status).toBe(5);
    expect(stdout).toBe('');
  });

  test('the machine outside is the same: files, user and host name', () => {
    const here = execFileSync('sh', ['-c', 'id -u; hostname; pwd'], { encoding: 'utf8' });
    expect(run('id -u; hostname; pwd').stdout).toBe(here);
  });
});
