/**
 * Updates dist/ with what a build made. Only files that changed are replaced, each by a rename, so that a build can run
 * beside processes that use the last one. `dist/.build.json` records what was built from what: a second build is free,
 * and a dist that another build wrote into at the same time is noticed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readOrNull, root } from './setup.mjs';

export const dist = join(root, 'dist');
const ELF = '\x7fELF';
const manifest = join(dist, '.build.json');

/** The sources that the last build of these inputs found missing, or null if dist is not the result of such a build. */
export function lastBuild(inputs) {
  const last = JSON.parse(readOrNull(manifest) ?? 'null');
  if (last?.inputs !== inputs) return null;
  const isIntact = Object.entries(last.outputs).every(([path, hash]) => hashOf(bytesOrNull(join(dist, path))) === hash);
  return isIntact ? { missing: last.missing } : null;
}

/** `files` maps paths in dist to contents: text, or the bytes of a program. */
export function replaceDist({ inputs, files, missing }) {
  for (const [path, contents] of files) writeIfChanged(join(dist, path), contents);
  const outputs = Object.fromEntries([...files].map(([path, contents]) => [path, hashOf(contents)]));
  writeIfChanged(manifest, JSON.stringify({ inputs, missing, outputs }, null, 1));
  for (const path of filesUnder(dist)) {
    const isTemporary = path.endsWith('.tmp');
    if (!files.has(relative(dist, path)) && path !== manifest && !isTemporary) rmSync(path, { force: true });
  }
}

export function filesUnder(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

export function hashOf(contents) {
  return contents === null ? null : createHash('sha256').update(contents).digest('hex');
}

function bytesOrNull(path) {
  return existsSync(path) ? readFileSync(path) : null;
}

function writeIfChanged(path, contents) {
  const isProgram = Buffer.isBuffer(contents) ? contents.indexOf(ELF) === 0 : contents.startsWith('#!');
  if (bytesOrNull(path)?.equals(Buffer.from(contents))) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents, { mode: isProgram ? 0o755 : 0o644 });
  renameSync(temporary, path);
}
