import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { changedIn, destinations, lookAt, refuseExchanged } from './binds.ts';

let folder: string;
const at = (path: string): string => join(folder, path);

beforeEach(() => {
  folder = testFolder();
  for (const path of ['open/inner', 'elsewhere/inner']) mkdirSync(at(path), { recursive: true });
  writeFileSync(at('file'), 'x');
});

/** Renames the folder around it, and plants a link: the path itself keeps its name. */
function exchange(): void {
  renameSync(at('open'), at('moved'));
  symlinkSync(at('elsewhere'), at('open'));
}

function gone(path: string): string {
  rmSync(at(path));
  return at(path);
}

describe('what is different from the look before', () => {
  const paths = (): string[] => ['open/inner', 'file', 'missing'].map(at);

  test('is nothing where only the content has changed, or a file was written again', () => {
    const before = lookAt(paths());
    writeFileSync(at('open/inner/new'), 'x');
    writeFileSync(at('next'), 'y');
    renameSync(at('next'), at('file'));
    expect(changedIn(before, lookAt(paths()))).toBeNull();
  });

  test.each([
    ['a link around it', 'open/inner', exchange],
    ['its being gone', 'file', () => rmSync(at('file'))],
    ['its being there', 'missing', () => writeFileSync(at('missing'), '')],
    ['a folder in the place of a file', 'file', () => mkdirSync(gone('file'))],
    ['a link that leads nowhere', 'file', () => symlinkSync('nowhere', gone('file'))],
  ])('is told by %s', (_, path, change) => {
    const before = lookAt(paths());
    change();
    expect(changedIn(before, lookAt(paths()))).toBe(at(path));
  });
});

describe('what may be written', () => {
  const policy = () => ({ writable: [at('open/inner'), at('file')], unreadable: [], links: [] });

  test('leads where it led, also when it is gone', () => {
    const leadsTo = destinations(policy());
    rmSync(at('open'), { recursive: true });
    expect(() => refuseExchanged(leadsTo)).not.toThrow();
  });

  test('is refused when it leads elsewhere', () => {
    const leadsTo = destinations(policy());
    exchange();
    expect(() => refuseExchanged(leadsTo)).toThrow(
      `${at('open/inner')} is writable and now leads to ${at('elsewhere/inner')}`,
    );
  });

  test('may have been a link from the beginning', () => {
    exchange();
    const leadsTo = destinations(policy());
    expect(leadsTo[at('open/inner')]).toBe(at('elsewhere/inner'));
    expect(() => refuseExchanged(leadsTo)).not.toThrow();
  });
});
