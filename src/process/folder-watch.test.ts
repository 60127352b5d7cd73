import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type FolderWatch, watchFolder } from './folder-watch.ts';

let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function watched(path = folder): FolderWatch {
  const watch = watchFolder(path);
  onTestFinished(() => watch.close());
  return watch;
}

function ear() {
  let count = 0;
  return {
    hear: (): void => void count++,
    count: () => count,
    heard: () => vi.waitUntil(() => count > 0, { interval: 1, timeout: 10_000 }),
  };
}

describe('who listens for a file', () => {
  test.each([
    ['is made', () => writeFileSync(join(folder, 'a'), '')],
    ['grows', () => appendFileSync(join(folder, 'there'), 'more')],
  ])('is reported when it %s', async (what, change) => {
    writeFileSync(join(folder, 'there'), 'text');
    const listener = ear();
    watched().on(what === 'grows' ? 'there' : 'a', listener.hear);
    change();
    await listener.heard();
    expect(listener.count()).toBeGreaterThan(0);
  });

  test('is not told of other files', async () => {
    const watch = watched();
    const [a, b] = [ear(), ear()];
    watch.on('a', a.hear);
    watch.on('b', b.hear);
    writeFileSync(join(folder, 'b'), '');
    await b.heard();
    expect(a.count()).toBe(0);
  });

  test('is told beside others, until it stops; they go on', async () => {
    const watch = watched();
    const [one, two] = [ear(), ear()];
    const stopOne = watch.on('a', one.hear);
    watch.on('a', two.hear);
    writeFileSync(join(folder, 'a'), '');
    await Promise.all([one.heard(), two.heard()]);
    stopOne();
    const before = [one.count(), two.count()];
    appendFileSync(join(folder, 'a'), 'more');
    await vi.waitUntil(() => two.count() > (before[1] ?? 0), { interval: 1, timeout: 10_000 });
    expect(one.count()).toBe(before[0]);
  });

  test('may come when all others have gone', async () => {
    const watch = watched();
    const [gone, late] = [ear(), ear()];
    watch.on('a', gone.hear)();
    watch.on('a', late.hear);
    writeFileSync(join(folder, 'a'), '');
    await late.heard();
    expect(gone.count()).toBe(0);
  });

  test('may stop while being told', async () => {
    const watch = watched();
    const [once, always] = [ear(), ear()];
    const stop = watch.on('a', () => {
      once.hear();
      stop();
    });
    watch.on('a', always.hear);
    for (const text of ['one', 'two']) {
      const before = always.count();
      appendFileSync(join(folder, 'a'), text);
      await vi.waitUntil(() => always.count() > before, { interval: 1, timeout: 10_000 });
    }
    expect(once.count()).toBe(1);
  });
});

test('a closed watch tells nothing more', async () => {
  const [closed, open] = [watchFolder(folder), watched()];
  const [deaf, listener] = [ear(), ear()];
  closed.on('a', deaf.hear);
  open.on('a', listener.hear);
  closed.close();
  writeFileSync(join(folder, 'a'), '');
  await listener.heard();
  expect(deaf.count()).toBe(0);
});

test('where the system cannot tell of changes, everybody is asked to look, now and then, until it is closed', async () => {
  const watch = watched(join(folder, 'cannot be watched'));
  const [a, b] = [ear(), ear()];
  watch.on('a', a.hear);
  watch.on('b', b.hear);
  await Promise.all([a.heard(), b.heard()]);
  watch.close();
  const before = a.count();
  const other = ear();
  watched(join(folder, 'cannot be watched either')).on('a', other.hear);
  await other.heard();
  expect(a.count()).toBe(before);
});
