/** The commands and flags that the built programs know, as their `--help` shows them. */
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The flags of each command, by its words, such as `ralph task run`. */
export type Declared = ReadonlyMap<string, ReadonlySet<string>>;

export async function declaredBy(...words: readonly [binary: string, ...path: string[]]): Promise<Declared> {
  const [binary, ...path] = words;
  const { stdout: help } = await run(process.execPath, [join(root, `bin/${binary}.cjs`), ...path, '--help']);
  if (!help.startsWith(`Usage: ${words.join(' ')}`)) throw new Error(`not a command: ${words.join(' ')}`);
  const sections = help.split(/\n(?=\S.*:\n)/).map((section) => section.split('\n'));
  const declaring = sections.filter(([title = '']) => !/^(?:Arguments|Examples?):$/.test(title));
  const lines = declaring.flatMap(([, ...rest]) => rest);
  const flags = lines.flatMap((line) => /^ {2}(-.*?|\s{4}--.*?)(?: {2}|$)/.exec(line)?.[1]?.match(FLAG) ?? []);
  const aliases = [...help.matchAll(/\(also:([^)]*)\)/g)].flatMap(([, named = '']) => named.match(FLAG) ?? []);
  const names = lines.flatMap((line) => /^ {2}([a-z][a-z-]+)(?=[ |]|$)/.exec(line)?.[1] ?? []);
  const all = new Map<string, ReadonlySet<string>>([[words.join(' '), new Set([...flags, ...aliases])]]);
  for (const name of names.filter((one) => one !== 'help')) {
    for (const [command, itsFlags] of await declaredBy(...words, name)) all.set(command, itsFlags);
  }
  return all;
}

const FLAG = /(?<![\w<])--?[a-zA-Z][\w-]*/g;
