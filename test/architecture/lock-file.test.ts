/** The lock file works on every supported platform, not only on the one where it was written. */
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

/** Looks for a package as Node does: in the node_modules of the package that needs it, or of any folder above. */
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

test('packages with native parts are found', () => {
  expect(withNative.length).toBeGreaterThan(5);
});

test.each(withNative)('%s has its native parts for linux and darwin, on x64 and arm64', (path, entry) => {
  const names = Object.keys(entry.optionalDependencies ?? {});
  // If the registry does not have one of them yet, npm omits it, and `npm ci` refuses the whole lock file.
  expect(names.filter((name) => found(path, name) === undefined)).toEqual([]);
  const natives = names.map((name) => found(path, name));
  const has = (os: string, cpu: string): boolean =>
    natives.some((native) => native?.os?.includes(os) === true && native.cpu?.includes(cpu) !== false);
  const platforms = ['linux', 'darwin'].flatMap((os) => ['x64', 'arm64'].map((cpu) => [os, cpu] as const));
  // A package with a single native part, such as fsevents, supports only one system.
  expect(names.length === 1 ? [] : platforms.filter(([os, cpu]) => !has(os, cpu))).toEqual([]);
});

test('the lock file contains no registry addresses', () => {
  expect(Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
