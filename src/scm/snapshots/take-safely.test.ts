/** Taking a snapshot runs, follows and changes nothing that a project contains. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { everythingIn, type SnapshotScene, snapshotScene } from '../../../test/support/git/snapshot-scene.ts';

let scene: SnapshotScene;
let begun: ReturnType<SnapshotScene['begin']>;
let folder: string;
let work: string;

beforeEach(() => {
  scene = snapshotScene();
  ({ folder, work } = scene);
  begun = scene.begin();
});

const write: SnapshotScene['write'] = (...given) => scene.write(...given);
const git: SnapshotScene['git'] = (...args) => scene.git(...args);
const kept: typeof begun.kept = (...args) => begun.kept(...args);

describe('of the project', () => {
  test('no filter, hook, monitor or attribute runs anything', async () => {
    const ran = join(folder, 'ran');
    const program = join(folder, 'program');
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\ncat\n`, { mode: 0o755 });
    for (const key of ['filter.f.clean', 'filter.f.smudge', 'filter.f.process', 'diff.f.command', 'diff.f.textconv'])
      git('config', key, program);
    git('config', 'core.fsmonitor', program);
    git('config', 'core.hooksPath', folder);
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit', 'post-commit'])
      cpSync(program, join(folder, hook));
    write('.gitattributes', '* filter=f diff=f\n');
    write('a');
    const first = await begun.take();
    write('a', 'other\n');
    const second = await begun.take(1);
    expect(kept('diff', first.commit, second.commit)).toContain('+other');
    expect(existsSync(ran)).toBe(false);
    // The trap itself works.
    spawnSync('git', ['add', 'a'], { cwd: work, env: scene.env });
    expect(existsSync(ran)).toBe(true);
  });

  test('an index that says anything leads nowhere else', async () => {
    write('a');
    const blob = git('hash-object', '-w', 'a').trim();
    const raw = (path: string) => `100644 ${blob}\t${path}\n`;
    spawnSync('git', ['update-index', '--add', '--index-info'], { cwd: work, env: scene.env, input: raw('xx/yy') });
    const index = join(work, '.git/index');
    const planted = readFileSync(index).toString('latin1').replace('xx/yy', '../zz');
    writeFileSync(index, planted, 'latin1');
    writeFileSync(join(folder, 'zz'), 'of the user');
    expect(await begun.files()).toEqual(['a']);
    writeFileSync(index, 'nonsense');
    expect(await begun.files()).toEqual(['a']);
  });

  test('an index that is a pipe, which git would wait for, is not read', async () => {
    write('nested/a');
    git('init', '-q', 'nested');
    for (const repository of ['.', 'nested']) execFileSync('mkfifo', [join(work, repository, '.git/index')]);
    expect(await begun.files()).toEqual(['nested/a']);
  });

  test('nothing is touched: refs, index, logs and objects', async () => {
    write('a');
    git('add', '-A');
    git('commit', '-qm', 'one');
    write('a', 'stashed\n');
    git('stash', '-q');
    write('b');
    git('add', 'b');
    const before = everythingIn(join(work, '.git'));
    await begun.take();
    write('c');
    await begun.take(1);
    expect(everythingIn(join(work, '.git'))).toEqual(before);
  });
});
