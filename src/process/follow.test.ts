import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { watchFolder } from './folder-watch.ts';
import { alwaysReady, type Followed, type Follower, follow } from './follow.ts';

const CHUNK = 256 * 1024;
let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function collect(name: string) {
  const chunks: Buffer[] = [];
  const bytes = (): number => chunks.reduce((sum, { length }) => sum + length, 0);
  return {
    // A copy, because the memory is reused.
    file: { name, onChunk: (chunk: Buffer) => void chunks.push(Buffer.from(chunk)) },
    bytes,
    text: () => Buffer.concat(chunks).toString('utf8'),
    reached: (count: number) => vi.waitUntil(() => bytes() >= count, { interval: 1, timeout: 10_000 }),
  };
}

function followed(...files: readonly Followed[]): Follower {
  const follower = follow(folder, files, alwaysReady);
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
    followed(out.file);
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      write('out', text);
      await out.reached(['one', 'onetwo', 'onetwothree'][index]?.length ?? 0);
    }
    expect(out.text()).toBe('onetwothree');
  });

  test('is read also as far as it was written before', async () => {
    write('out', 'early');
    const out = collect('out');
    followed(out.file);
    await out.reached(5);
    expect(out.text()).toBe('early');
  });

  test('may be emptied by its program: what is written then is read from the beginning', async () => {
    write('out', 'a long beginning');
    const out = collect('out');
    const follower = followed(out.file);
    await out.reached(16);
    writeFileSync(join(folder, 'out'), 'new!');
    await follower.drain();
    expect(out.text()).toBe('a long beginningnew!');
  });

  test('is delivered whole and in order, 20 MB written in pieces by a real process', async () => {
    write('out', '');
    const out = collect('out');
    const follower = followed(out.file);
    const lines = 'for i in $(seq 1 20); do seq $((i * 150000)) $((i * 150000 + 149999)); done >>out';
    const child = spawn('sh', ['-c', lines], { cwd: folder, stdio: 'ignore' });
    await once(child, 'exit');
    await follower.drain();
    expect(out.bytes()).toBeGreaterThan(20_000_000);
    expect(out.text() === readFileSync(join(folder, 'out'), 'utf8')).toBe(true);
  });

  test('may have a character over the border of a chunk: its bytes come in order, and none is changed', async () => {
    const text = '€'.repeat(CHUNK);
    writeFileSync(join(folder, 'out'), text);
    const out = collect('out');
    await followed(out.file).drain();
    expect(CHUNK % 3).not.toBe(0);
    expect(out.text()).toBe(text);
  });

  test('lets others have their turn while there is much to read', async () => {
    write('out', '');
    const out = collect('out');
    followed(out.file);
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
  followed(out.file, err.file);
  write('other', 'not followed');
  write('out', 'words');
  write('err', 'warnings');
  await Promise.all([out.reached(5), err.reached(8)]);
  expect([out.text(), err.text()]).toEqual(['words', 'warnings']);
});

test('drain reads what is there now, once', async () => {
  write('out', 'before');
  const out = collect('out');
  const follower = followed(out.file);
  await follower.drain();
  write('out', ' after');
  await follower.drain();
  await follower.drain();
  expect(out.text()).toBe('before after');
});

test('one piece of memory serves one follower after another, and several at once', async () => {
  write('a', '');
  write('b', '');
  const [first, second, third] = [collect('a'), collect('b'), collect('a')];
  const [one, two] = [follow(folder, [first.file], alwaysReady), follow(folder, [second.file], alwaysReady)];
  write('a', 'eins');
  write('b', 'zwei');
  await Promise.all([first.reached(4), second.reached(4)]);
  one.close();
  const three = follow(folder, [third.file], alwaysReady);
  write('a', ' drei');
  write('b', ' vier');
  await Promise.all([third.reached(9), second.reached(9)]);
  two.close();
  three.close();
  expect([first.text(), second.text(), third.text()]).toEqual(['eins', 'zwei vier', 'eins drei']);
});

test('a watch that is shared goes on when a follower is closed, and serves the next one', async () => {
  write('a', '');
  write('b', '');
  const shared = watchFolder(folder);
  const [first, second] = [collect('a'), collect('b')];
  follow(folder, [first.file], alwaysReady, shared).close();
  const next = follow(folder, [second.file], alwaysReady, shared);
  // Existing content is read without an event from the watch.
  await new Promise((resolve) => setImmediate(resolve));
  write('a', 'eins');
  write('b', 'zwei');
  await second.reached(4);
  next.close();
  shared.close();
  expect([first.text(), second.text()]).toEqual(['', 'zwei']);
});

test('a closed follower hears nothing more, also of what was under way', async () => {
  write('out', '');
  const [closed, open] = [collect('out'), collect('out')];
  const follower = follow(folder, [closed.file], alwaysReady);
  followed(open.file);
  write('out', 'late');
  follower.close();
  await open.reached(4);
  expect(closed.text()).toBe('');
});

test('a file that is open already is read also when its name is gone', async () => {
  write('out', 'printed');
  const fd = openSync(join(folder, 'out'), 'r');
  rmSync(join(folder, 'out'));
  const out = collect('out');
  await followed({ ...out.file, fd }).drain();
  expect(out.text()).toBe('printed');
});

test('of a pipe that is open in the place of a file nothing is read, and it is not waited for', async () => {
  execFileSync('mkfifo', [join(folder, 'out')]);
  const out = collect('out');
  await followed({ ...out.file, fd: openSync(join(folder, 'out'), 'a+') }).drain();
  expect(out.text()).toBe('');
});

test('a file that is not there cannot be followed', () => {
  expect(() => followed(collect('missing').file)).toThrow('ENOENT');
});

test('a reader that is behind is waited for, while following and while draining, and then gets everything', async () => {
  write('out', '');
  const out = collect('out');
  const waiting: (() => void)[] = [];
  let behind = true;
  const ready = (): Promise<void> | null => (behind ? new Promise((resolve) => void waiting.push(resolve)) : null);
  const follower = follow(folder, [out.file], ready);
  onTestFinished(() => follower.close());
  write('out', 'x'.repeat(5 * 1024 * 1024));
  await vi.waitUntil(() => waiting.length > 0, { interval: 1 });
  const drained = follower.drain();
  await vi.waitUntil(() => waiting.length > 1, { interval: 1 });
  expect(out.bytes()).toBeLessThan(5 * 1024 * 1024);
  behind = false;
  for (const goOn of waiting) goOn();
  await drained;
  expect(out.bytes()).toBe(5 * 1024 * 1024);
});
