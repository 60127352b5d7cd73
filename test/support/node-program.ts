/** Runs lines of JavaScript in a Node of its own, with one of our sources beside them as `./module.mjs`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { testFolder } from './folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface NodeProgram {
  /** The source that the lines import, from the repository's root. */
  readonly module: string;
  readonly flags?: readonly string[];
}

/** Writes the program and what it imports to a folder that lives as long as the test; returns the folder. */
export async function writeNodeProgram(lines: string, module: string): Promise<string> {
  const folder = testFolder();
  writeFileSync(join(folder, 'program.mjs'), lines);
  const outfile = join(folder, 'module.mjs');
  await build({ entryPoints: [join(ROOT, module)], outfile, bundle: true, platform: 'node', format: 'esm' });
  return folder;
}

export function startNode(folder: string, flags: readonly string[] = [], args: readonly string[] = []): ChildProcess {
  const program = join(folder, 'program.mjs');
  return spawn(process.execPath, [...flags, program, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
}

export async function runNode(
  lines: string,
  { module, flags = [] }: NodeProgram,
): Promise<{ exitCode: number | null; output: string }> {
  const child = startNode(await writeNodeProgram(lines, module), flags);
  const exited = new Promise<number | null>((done) => child.once('exit', done));
  const output = child.stdout === null ? '' : await text(child.stdout);
  return { output, exitCode: await exited };
}
