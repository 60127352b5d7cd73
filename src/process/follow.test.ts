import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Follower, follow } from './follow.ts';

const CHUNK = 256 * 1024;
let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function collect(name: string) {
  const chunks: Buffer[] = [];
  const bytes = (): number => chunks.reduce((sum, { length }) => sum + length, 0);
  return {
    // A copy, because the memory is used again.
    file: { name, onChunk: (chunk: Buffer) => void chunks.push(Buffer.from(chunk)) },
    bytes,
    text: () => Buffer.concat(chunks).toString('utf8'),
    reached: (count: number) => vi.waitUntil(() => bytes() >= count, { interval: 1, timeout: 10_000 }),
  };
}

function following(...files: Parameters<typeof follow>[1]): Follower {
  const follower = follow(folder, files);
  onTestFinished(() => follower.close());
  return follower;
}

function write(name: string, text: string): void {
  appendFileSync(join(folder, name), text);
}

describe('a file that another process appends to', () => {
  test('is read as it grows, without being asked', async () => {
    write('out', '');
    const out = collect('out');
    following(out.file);
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      write('out', text);
      await out.reached(['one', 'onetwo', 'onetwothree'][index]?.length ?? 0);
    }
    expect(out.text()).toBe('onetwothree');
  });

  test('is delivered whole and in order, 20 MB written in pieces by a real process', async () => {
    write('out', '');
    const out = collect('out');
    const follower = following(out.file);
    const lines = 'for i in $(seq 1 20); do seq $((i * 150000)) $((i * 150000 + 149999)); done >>out';
    const child = spawn('sh', ['-c', lines], { cwd: folder, stdio: 'ignore' });
    await once(child, 'exit');
    follower.drain();
    expect(out.bytes()).toBeGreaterThan(20_000_000);
    expect(out.text() === readFileSync(join(folder, 'out'), 'utf8')).toBe(true);
  });

  test('may have a character over the border of a chunk: its bytes come in order, and none is changed', () => {
    const text = '€'.repeat(CHUNK);
    writeFileSync(join(folder, 'out'), text);
    const out = collect('out');
    following(out.file).drain();
    expect(CHUNK % 3).not.toBe(0);
    expect(out.text()).toBe(text);
  });

  test('lets others have their turn while there is much to read', async () => {
    write('out', '');
    const out = collect('out');
    following(out.file);
    let turns = 0;
    const count = (): void => {
      turns++;
      if (out.bytes() < 20_000_000) setImmediate(count);
    };
    writeFileSync(join(folder, 'out'), Buffer.alloc(20_000_000, 'x'));
    await out.reached(1);
    count();
    await out.reached(20_000_000);
    expect(turns).toBeGreaterThan(2);
  });
});

test('several files are kept apart', async () => {
  write('out', '');
  write('err', '');
  const out = collect('out');
  const err = collect('err');
  following(out.file, err.file);
  write('other', 'nobody follows this');
  write('out', 'words');
  write('err', 'warnings');
  await Promise.all([out.reached(5), err.reached(8)]);
  expect([out.text(), err.text()]).toEqual(['words', 'warnings']);
});

test('drain reads what is there now, once', () => {
  write('out', 'before');
  const out = collect('out');
  const follower = following(out.file);
  follower.drain();
  write('out', ' after');
  follower.drain();
  follower.drain();
  expect(out.text()).toBe('before after');
});

test('a closed follower hears nothing more, also of what was under way', async () => {
  write('out', '');
  const [closed, open] = [collect('out'), collect('out')];
  const follower = follow(folder, [closed.file]);
  following(open.file);
  write('out', 'late');
  follower.close();
  await open.reached(4);
  expect(closed.text()).toBe('');
});

test('a file that is not there cannot be followed', () => {
  expect(() => follow(folder, [collect('missing').file])).toThrow('ENOENT');
});
