import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Proving, provingScene } from '../../test/support/proof/proving.ts';
import { checkOut, putFiles } from './checkout.ts';

const options = ({ env, stop, place }: Proving) => ({ env, signal: stop.signal, place, name: 'one' });

describe('a checkout', () => {
  test('has the files of its commit, a git directory of its own, and nothing else', async () => {
    const scene = provingScene({ a: 'a\n', '.gitignore': 'out\n', run: '#!/bin/sh\n' });
    scene.git('update-index', '--chmod=+x', 'run');
    scene.git('commit', '--quiet', '--message=second');
    scene.write('out', 'ignored\n');
    scene.write('.git/hooks/post-checkout', `#!/bin/sh\ntouch ${scene.folder}/hooked\n`);
    chmodSync(join(scene.work, '.git/hooks/post-checkout'), 0o755);
    scene.git('config', 'filter.x.smudge', `touch ${scene.folder}/filtered; cat`);
    const trees = scene.trees();
    const head = await trees.head();
    const made = await checkOut(trees, { at: head?.at ?? '', isSnapshot: false }, options(scene));
    expect(basename(made.root)).toBe('work');
    expect(readdirSync(made.root).sort()).toEqual(['.git', '.gitignore', 'a', 'run']);
    expect(statSync(join(made.root, 'run')).mode & 0o111).not.toBe(0);
    expect(scene.gitIn(made.root, 'status', '--porcelain')).toBe('');
    expect(scene.gitIn(made.root, 'log', '--format=%s')).toBe('second\n');
    expect(scene.gitIn(made.root, 'config', '--list', '--local')).not.toContain('filter');
    expect(['hooked', 'filtered'].filter((name) => existsSync(join(scene.folder, name)))).toEqual([]);
    made.remove();
    expect(readdirSync(scene.place)).toEqual([]);
  });

  test.each(['reports', 'sandbox'])(
    'of a project that is called %s shares nothing with what ralph keeps beside it',
    async (name) => {
      const scene = provingScene({ a: 'a\n' });
      const trees = scene.trees();
      const { at } = await trees.take('refs/proof/1');
      const renamed = { ...trees, root: join(scene.folder, name) };
      const { folder, root, reports } = await checkOut(renamed, { at, isSnapshot: true }, options(scene));
      expect(basename(root)).toBe(name);
      expect([reports, join(folder, 'sandbox')]).not.toContain(root);
      writeFileSync(join(reports, 'made.xml'), '');
      expect(scene.gitIn(root, 'status', '--porcelain')).toBe('');
    },
  );

  test('of a snapshot holds files byte by byte, whatever .gitattributes says', async () => {
    const scene = provingScene({ '.gitattributes': '*.txt text eol=crlf\n' });
    scene.write('a.txt', 'one\ntwo\n');
    scene.write('b.bin', Uint8Array.from([0, 13, 10, 255]));
    const trees = scene.trees();
    const { at } = await trees.take('refs/proof/1');
    const { root } = await checkOut(trees, { at, isSnapshot: true }, options(scene));
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect([...readFileSync(join(root, 'b.bin'))]).toEqual([0, 13, 10, 255]);
  });

  test('that cannot be made leaves nothing', async () => {
    const scene = provingScene({ a: 'a\n' });
    const missing = 'a'.repeat(40);
    await expect(checkOut(scene.trees(), { at: missing, isSnapshot: false }, options(scene))).rejects.toThrow(
      'git index-pack failed',
    );
    expect(readdirSync(scene.place)).toEqual([]);
  });
});

test('putFiles writes and removes files, and never through a link that lies in the tree', () => {
  const [root, outside] = [testFolder(), testFolder()];
  symlinkSync(outside, join(root, 'deep'));
  writeFileSync(join(root, 'gone'), '');
  mkdirSync(join(root, 'file'));
  const content = Buffer.from('put\n');
  putFiles(
    root,
    new Map([
      ['deep/er/a', { content, isExecutable: true }],
      ['file', { content, isExecutable: false }],
      ['gone', null],
    ]),
  );
  expect(readdirSync(outside)).toEqual([]);
  expect(lstatSync(join(root, 'deep')).isDirectory()).toBe(true);
  expect(readFileSync(join(root, 'deep/er/a'), 'utf8')).toBe('put\n');
  expect(statSync(join(root, 'deep/er/a')).mode & 0o777).toBe(0o755);
  expect(readFileSync(join(root, 'file'), 'utf8')).toBe('put\n');
  expect(existsSync(join(root, 'gone'))).toBe(false);
});
