/** Runs lines of JavaScript in a separate Node process; they import our sources as `./src/…`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { testFolder } from '../folder.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** For packages in CommonJS that require built-in modules (yaml). */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** Builds the program into a folder that is removed when the test ends; returns its path. */
export async function nodeProgram(lines: string): Promise<string> {
  const outfile = join(testFolder(), 'program.mjs');
  const stdin = { contents: lines, resolveDir: ROOT };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', banner: { js: BANNER } });
  return outfile;
}

/** Starts Node with the program; stdin and stdout are pipes. */
export function startProgram(
  program: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): ChildProcess {
  return spawn(process.execPath, [...flags, program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

export async function runNode(lines: string, flags: readonly string[] = []): Promise<Ran> {
  return endOf(startProgram(await nodeProgram(lines), [], flags));
}

export interface Ran {
  readonly exitCode: number | null;
  readonly output: string;
}

export async function endOf(child: ChildProcess): Promise<Ran> {
  const exited = new Promise<number | null>((done) => child.once('exit', done));
  const output = child.stdout === null ? '' : await text(child.stdout);
  return { output, exitCode: await exited };
}
