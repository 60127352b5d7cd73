/** A program can replace a folder by a link after the sandbox has checked it, and before it mounts it. */
import { spawn } from 'node:child_process';
import { readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { opened, RALPH } from '../../support/sandbox/opened.ts';

const NAMES = ['hooks', 'b'];
const FOLDERS = ['open', 'a/b', ...NAMES.flatMap((name) => [`~/elsewhere/${name}`, `~/.ssh/${name}`])];

/** The target of the link: a folder outside the work tree that contains the names that the sandbox mounts. */
function target({ folder }: ReturnType<typeof opened>, name: 'elsewhere' | '.ssh') {
  for (const file of ['config', 'config.worktree']) writeFileSync(join(folder, name, file), 's3cret\n');
  const files = (): string[] => (readdirSync(join(folder, name), { recursive: true }) as string[]).sort();
  return { before: files(), files };
}

test.each(['.git', 'open'])(
  'if %s has become a link since it was checked, no program starts, and the target is not mounted',
  async (name) => {
    const box = opened({ folders: FOLDERS, allowWrite: ['open'] });
    const { before, files } = target(box, 'elsewhere');
    expect((await box.run('true', 'first')).code).toBe(0);
    // A program that already runs can do this in a namespace of its own, and so can one of another loop.
    const meanwhile = (): void => {
      renameSync(join(box.work, name), join(box.work, 'old'));
      symlinkSync('../elsewhere', join(box.work, name));
    };
    const ran = await box.run(`echo started; echo x >${name}/made`, 'second', { meanwhile });
    expect(files()).toEqual(before);
    const stderr = `ralph: the sandbox cannot be made: ${join(box.work, name)} was exchanged meanwhile\n`;
    expect(ran).toMatchObject({ code: 125, stdout: '', stderr });
  },
);

/** Replaces the folder from outside, as often as possible; in a running program, the mounts move with the folder. */
const FLIP = `
  const { renameSync, symlinkSync, unlinkSync } = require('fs');
  const pause = (most) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, most * Math.random());
  const [name, target] = process.argv.slice(1);
  for (;;) {
    renameSync(name, 'real'); symlinkSync(target, name); pause(5);
    unlinkSync(name); renameSync('real', name); pause(25);
  }`;

const WITHOUT_HELPER = [
  '/bin/sh',
  '-c',
  `[ "$1" = sandbox-helper ] && exit 1; exec ${RALPH.join(' ')} "$@"`,
  'ralph',
] as const;

test.each([
  ['a folder of the work tree', { name: '.git', tries: 60 }],
  ['a folder around what is allowed', { name: 'a', tries: 30 }],
  [
    'a folder of the work tree, where each program has a process of its own',
    { name: '.git', tries: 5, self: WITHOUT_HELPER },
  ],
])('%s that is constantly replaced by a link never exposes its target', async (_, { name, tries, ...more }) => {
  const box = opened({ folders: FOLDERS, allowWrite: ['a/b'], ...more });
  const { before, files } = target(box, '.ssh');
  expect((await box.run('true', 'first')).code).toBe(0);
  const flipper = spawn(process.execPath, ['-e', FLIP, name, '../.ssh'], { cwd: box.work, stdio: 'ignore' });
  onTestFinished(() => void flipper.kill('SIGKILL'));
  for (let each = 0; each < tries; each++) {
    const lines = `cat ${name}/config.worktree ${name}/b/../config; for it in ${name} ${name}/b ../.ssh; do echo x >$it/made; done`;
    const { stdout } = await box.run(lines, 'attack', { isOffline: true });
    expect(stdout).not.toContain('s3cret');
    expect(files()).toEqual(before);
  }
});
