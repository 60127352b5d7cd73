/**
 * Prepares a clone: installs what the lock file names, then builds. Uses only Node built-ins, because it runs
 * before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Something that a person can fix; shown without a stack. */
export class SetupError extends Error {}

/** The hash of the lock file that node_modules was installed from; npm's own times do not survive a checkout. */
const stamp = join(root, 'node_modules/.ralph-installed');

export function ensureInstalled() {
  if (readOrNull(stamp) === hashOfLock()) return;
  if (isInstalledByNpm()) {
    writeFileSync(stamp, hashOfLock());
    return;
  }
  console.log('installing dependencies (npm ci) …');
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new SetupError(`npm ci ended with exit code ${status}`);
  writeFileSync(stamp, hashOfLock());
}

/** After `npm install`, npm's own record of node_modules lists every package of the lock file, in the same version. */
function isInstalledByNpm() {
  const installed = packagesIn(join(root, 'node_modules/.package-lock.json'));
  if (installed === null) return false;
  const wanted = packagesIn(join(root, 'package-lock.json')) ?? {};
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === '') return true;
    const there = installed[path];
    // A package for another platform is not installed.
    if (there === undefined) return optional === true;
    return there.version === version && there.integrity === integrity;
  });
}

function packagesIn(path) {
  const text = readOrNull(path);
  return text === null ? null : JSON.parse(text).packages;
}

/** Returns the sources that the build wanted but did not find. */
export async function ensureBuilt() {
  const { build } = await import('./build.mjs');
  return build();
}

/** For everything that is started except downloads: the variable makes every start of node three times slower. */
export function environmentOfChildren() {
  const environment = { ...process.env };
  delete environment.NODE_EXTRA_CA_CERTS;
  return environment;
}

export function readOrNull(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function hashOfLock() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}
