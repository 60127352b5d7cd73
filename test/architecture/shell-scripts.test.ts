/**
 * Checks every shell script that we ship or run, including those inside our sources, with shellcheck and with the
 * shells that `sh` can be. On a Mac, that is bash 3.2 in POSIX mode, so scripts for bash use nothing newer either.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inPidNamespace } from '../../src/process/containment/containment.ts';
import { withExitFile } from '../../src/process/containment/exit-wrapper.ts';
import { insideScript } from '../../src/runners/sandbox/inside-script.ts';

interface Script {
  readonly name: string;
  readonly shell: 'sh' | 'bash';
  readonly text: string;
  /** Another script sources it, so some variables are set or used only there. */
  readonly isPart?: boolean;
}

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const FILES = ['.ci/run', 'bench/floors/floor-tee.sh', 'test/darwin/enter.sh', ...scriptsIn('plugin')];
const files = FILES.map((path): Script => {
  const text = read(path);
  return { name: path, text, shell: /^#!.*\bbash\n/.test(text) ? 'bash' : 'sh', isPart: !text.startsWith('#!') };
});

/** Scripts in our sources, by the names of their constants. Each `${…}` in them is replaced by `1`. */
const CONSTANTS = [
  ['src/hooks/session/check.ts', 'GUARDED', 'sh'],
  ['src/loops/stories/files/work-tree.ts', 'PRINT', 'sh'],
  ['src/runners/docker-sandbox.ts', 'WRITE', 'bash'],
  ['src/runners/docker-sandbox.ts', 'DIGEST', 'bash'],
  ['src/runners/docker/machine.ts', 'LINK_LOGIN', 'bash'],
  ['src/runners/docker/machine.ts', 'NAME_COMMITTER', 'bash'],
  ['src/runners/docker/machine.ts', 'LIST', 'bash'],
] as const;
const constants = CONSTANTS.map(([path, name, shell]): Script => {
  const [, literal] = new RegExp(String.raw`^const ${name} = \`((?:[^\`\\]|\\.)*)\`;`, 'm').exec(read(path)) ?? [];
  if (literal === undefined) throw new Error(`${path} has no script ${name}`);
  const text = literal.replaceAll(/(?<!\\)\$\{[^}]*\}/g, '1').replaceAll(/\\(.)/gs, '$1');
  return { name: `${name} in ${path}`, shell, text };
});

const inside = {
  mounts: [],
  loopback: null,
  seal: null,
  keepsAsked: false,
  ownTerminal: false,
  seeOff: null,
  env: { A: 'b c' },
};
const made: Script[] = [
  { name: 'the front that keeps an exit status', shell: 'sh', text: withExitFile(['true'], 'file')[2] ?? '' },
  { name: 'the init of a pid namespace', shell: 'sh', text: scriptOf(inPidNamespace(['true'], true, 100)) },
  { name: 'the script of a sandbox on macOS', shell: 'bash', text: insideScript(['claude', 'a b'], inside) },
  { name: 'the same in a pane', shell: 'bash', text: insideScript(['claude'], { ...inside, ownTerminal: true }) },
];

const scripts = [...files, ...constants, ...made];

function scriptsIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.sh')).map((name) => `${folder}/${name}`);
}

function scriptOf(argv: readonly string[]): string {
  return argv[argv.indexOf('-c') + 1] ?? '';
}

/** SC1091: it cannot follow a source whose path is a variable. SC3013: `-ef` is not POSIX, but these shells have it. */
function complaints({ name, shell, text, isPart }: Script): string {
  const isFile = FILES.includes(name);
  const path = isFile ? ['--source-path=SCRIPTDIR', '--external-sources', join(root, name)] : ['-'];
  const ignored = ['SC1091', 'SC3013', ...(isPart === true ? ['SC2154', 'SC2034'] : [])];
  const args = ['--shell', shell, '--severity=style', '--format=gcc', `--exclude=${ignored.join(',')}`, ...path];
  const { error, stdout, stderr } = spawnSync('shellcheck', args, {
    // Given a file, shellcheck does not read stdin, and writing to it could fail.
    ...(isFile ? {} : { input: text }),
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  return stdout + stderr;
}

describe.each(scripts.map((script) => [script.name, script] as const))('%s', (_name, script) => {
  test('passes shellcheck', () => {
    expect(complaints(script)).toBe('');
  });

  test('can be parsed by every shell that may run it', () => {
    const posix = [['dash'], ['bash', '--posix'], ['busybox', 'ash']];
    for (const [shell = '', ...args] of script.shell === 'bash' ? [['bash']] : posix) {
      const { status, stderr } = spawnSync(shell, [...args, '-n'], { input: script.text, encoding: 'utf8' });
      expect({ shell, status, stderr }).toEqual({ shell, status: 0, stderr: '' });
    }
  });

  test('needs no newer bash than 3.2, the one of macOS', () => {
    expect(newerThan32(script.text)).toEqual([]);
  });
});

const NEWER = [
  /\b(?:declare|local|typeset) -[a-zA-Z]*[Anlu]/,
  /\b(?:mapfile|readarray|coproc)\b/,
  /\$\{\w+(?:\[[^\]]*\])?(?:,,?|\^\^?|@[A-Za-z])/,
  /\bwait -n\b/,
  /&>>|\|&/,
  /;;&|;&/,
  /\$\{\w+: -\d|\[-\d+\]/,
  /\bprintf -v \w+\[|\bprintf '%\(/,
  /\bshopt -s (?:globstar|lastpipe|inherit_errexit)/,
  /\bread -[a-zA-Z]*[iN]\b/,
];

function newerThan32(text: string): string[] {
  return NEWER.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
}

test('features that bash 3.2 does not have are found', () => {
  const parts = ['x,,', 'x^', 'x@Q'].map((inside) => `echo \${${inside}}`);
  const lines = ['declare -A map', 'mapfile -t lines', 'wait -n', 'a &>>b', 'a |& b', ...parts];
  expect(lines.filter((line) => newerThan32(line).length === 0)).toEqual([]);
  expect(newerThan32(`echo "\${x#a}" \${x:-b} \${x%%c} && wait $!`)).toEqual([]);
});
