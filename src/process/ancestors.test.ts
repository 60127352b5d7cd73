import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { ancestorsOf } from './ancestors.ts';
import { identify } from './identity/identity.ts';

test('the parent comes first, with its start time; the last one is an init', () => {
  const found = ancestorsOf(process.pid);
  expect(found[0]).toMatchObject(identify(process.ppid) ?? {});
  expect(found.map(({ pid }) => pid)).not.toContain(process.pid);
  expect(ancestorsOf(2 ** 30)).toEqual([]);
});

test('an ancestor shows the variables that it was started with, not those that it has taken away', async () => {
  const inner = `process.stdout.write(String(process.pid)); setInterval(() => {}, 1000)`;
  const outer = `delete process.env.WHO; require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' })`;
  const child = spawn(process.execPath, ['-e', outer], {
    env: { PATH: process.env.PATH, WHO: 'the outer one' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const [parent] = ancestorsOf(Number(String(said)));
  expect(parent).toMatchObject({ pid: child.pid });
  expect(parent?.variable('WHO')).toBe('the outer one');
  expect(parent?.variable('NOTHING')).toBeNull();
});
