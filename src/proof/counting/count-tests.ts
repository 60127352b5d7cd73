/**
 * Makes known test runners report their tests, however deep in a command they are called, through variables that a
 * `make`, a script or a workspace passes on. The command stays the user's, and prints the same output.
 */
import { readdirSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { type Reported, readReportFile } from '../../checks/reports/read-file.ts';
import { defined } from '../../core/defined.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { makeFolders, writeFile } from '../../process/files.ts';
import { MOCHA_HOOK, NODE_PRELOAD, TEE } from './node-kit.ts';
import { PLUGIN_METADATA, PYTEST_PLUGIN } from './pytest-kit.ts';

export interface Counting {
  /** The command to run instead. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Call this when the command has ended. The tests are null if no known runner has reported any. */
  counted(): Reported;
}

/** `folder` is new, and removed with the checkout. `path`: the PATH that the command would have. */
export function countTests(folder: string, path: string, command: string): Counting {
  const kit = join(folder, 'kit');
  const [bin, python] = [join(kit, 'bin'), join(kit, 'python')];
  const preload = join(kit, 'preload.cjs');
  // In case the plugin is not found: a command may set PYTHONPATH itself.
  const report = join(folder, 'pytest.xml');
  // Node takes a value that has spaces in quotes.
  const words = {
    NODE_OPTIONS: `--require ${JSON.stringify(preload)}`,
    PYTEST_ADDOPTS: `--junitxml=${quoteWord(report)}`,
  };
  const folders = { PATH: bin, PYTHONPATH: python };
  put(join(kit, 'environment.json'), JSON.stringify({ words, folders, report }));
  put(preload, NODE_PRELOAD);
  put(join(kit, 'mocha.cjs'), MOCHA_HOOK);
  put(join(kit, 'tee.cjs'), TEE);
  put(join(python, 'ralph_counts_tests.py'), PYTEST_PLUGIN);
  for (const [name, text] of Object.entries(PLUGIN_METADATA))
    put(join(python, 'ralph_counts_tests-1.0.dist-info', name), text);
  put(join(bin, 'node'), nodeProgram(words.NODE_OPTIONS), 0o755);
  for (const name of ['go', 'cargo']) put(join(bin, name), teeProgram(name, join(kit, 'tee.cjs')), 0o755);
  return {
    command: calling(command, bin, join(kit, 'tee.cjs')),
    env: { ...words, PYTHONPATH: python, PATH: [bin, path].join(delimiter) },
    counted: () =>
      merged(
        readdirSync(folder)
          .filter((name) => name !== 'kit')
          .map((name) => join(folder, name)),
      ),
  };
}

function put(path: string, text: string, mode = 0o644): void {
  makeFolders(dirname(path));
  writeFile(path, text, { mode });
}

/** Merges the reports of all runners in the command, one file each. */
function merged(files: readonly string[]): Reported {
  const all = files.toSorted().map(readReportFile);
  const tests = all.every((one) => one.tests === null) ? null : all.flatMap((one) => one.tests ?? []);
  return { tests, ...defined({ unread: all.find((one) => one.unread !== undefined)?.unread }) };
}

/** Runs the next program of this name in the PATH, after this folder. */
const NEXT = `here=\${0%/*}
next() {
  name=$1
  shift
  set -f
  IFS=:
  for folder in $PATH; do
    if [ "$folder" != "$here" ] && [ -x "$folder/$name" ] && [ ! -d "$folder/$name" ]; then
      unset IFS
      exec "$folder/$name" "$@"
    fi
  done
  echo "$name: not found" >&2
  exit 127
}
`;

/** A command may set NODE_OPTIONS itself, for example to run jest with ES modules. */
function nodeProgram(options: string): string {
  return `#!/bin/sh
${NEXT}own=${quoteWord(options)}
case \${NODE_OPTIONS-} in
  *"$own"*) ;;
  *) export NODE_OPTIONS="$own \${NODE_OPTIONS-}" ;;
esac
next node "$@"
`;
}

/** Keeps nothing of a call that runs no tests, or whose output cannot be read. `program`: its name, or its path. */
function teeProgram(program: string, tee: string): string {
  const call = program.includes('/') ? `exec ${quoteWord(program)}` : `next ${program}`;
  return `#!/bin/sh
${NEXT}case " $* " in
  *" -c "* | *" --no-run "* | *" -q "* | *" --quiet "* | *" --list "* | *" --format"* | *" --message-format"*) ${call} "$@" ;;
esac
value=
for word in "$@"; do
  if [ -n "$value" ]; then value=; continue; fi
  case $word in
    -C | -Z | --config | --color) value=next ;;
    -* | +*) ;;
    test | t) exec ${quoteWord(process.execPath)} ${quoteWord(tee)} ${quoteWord(program)} "$@" ;;
    *) break ;;
  esac
done
${call} "$@"
`;
}

/** A program that the command calls by path, which no folder in the PATH can intercept. */
const CALLED_BY_PATH =
  /(?<=^|[\s;&|(])\/[\w@%+=:,./-]*\/(?:go|cargo)(?=\s+(?:[^\s;&|]+\s+)*?(?:test|t)(?:[\s;&|)]|$))/g;

/** Replaces each of those programs with one of ours. */
function calling(command: string, bin: string, tee: string): string {
  const programs = new Map<string, string>();
  return command.replaceAll(CALLED_BY_PATH, (program) => {
    const ours = programs.get(program) ?? join(bin, 'by-path', `${programs.size}`, basename(program));
    if (!programs.has(program)) put(ours, teeProgram(program, tee), 0o755);
    programs.set(program, ours);
    return quoteWord(ours);
  });
}
