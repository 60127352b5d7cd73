/** The lock file must do on every platform that we name, not only on the one where it was written. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT } from '../support/scene.ts';

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync(`${ROOT}/package-lock.json`, 'utf8')) as {
  readonly packages: Readonly<Record<string, Package>>;
};

/** As Node looks for it: beside the one that wants it, or in any folder above. */
function found(wantedBy: string, name: string): Package | undefined {
  for (let at = wantedBy; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    const entry = lock.packages[path];
    if (entry !== undefined || at === '') return entry;
    if (!at.includes('/node_modules/')) at = '';
  }
}

const withNative = Object.entries(lock.packages).filter(([path, { optionalDependencies = {} }]) =>
  Object.keys(optionalDependencies).some((name) => found(path, name)?.os !== undefined),
);

test('there are packages with native parts', () => {
  expect(withNative.length).toBeGreaterThan(5);
});

test.each(withNative)('%s has its native parts for linux and darwin, on x64 and arm64', (path, entry) => {
  const names = Object.keys(entry.optionalDependencies ?? {});
  // A registry that has not got one of them yet leaves a hole, and \`npm ci\` refuses the whole.
  expect(names.filter((name) => found(path, name) === undefined)).toEqual([]);
  const natives = names.map((name) => found(path, name));
  const has = (os: string, cpu: string): boolean =>
    natives.some((native) => native?.os?.includes(os) === true && native.cpu?.includes(cpu) !== false);
  const platforms = ['linux', 'darwin'].flatMap((os) => ['x64', 'arm64'].map((cpu) => [os, cpu] as const));
  // One that has a single part, as for fsevents, is for one system only.
  expect(names.length === 1 ? [] : platforms.filter(([os, cpu]) => !has(os, cpu))).toEqual([]);
});

test('it names no address', () => {
  expect(Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
