/** The arguments of bubblewrap: taken from the runtime's command line once, and adapted for each program. Pure. */

import { shellQuote } from '../../../core/text/quote-word.ts';
import type { Bind } from '../mount-check.ts';
import { INSIDE, RUN_BY_SHELLS } from '../own-environment.ts';
import { FILTER_FD } from '../second-filter.ts';

/** What the runtime made of a command: the options of bubblewrap, and the program that blocks sockets. */
export interface BwrapWords {
  /** From the first option up to the `--` before the command. */
  readonly options: readonly string[];
  readonly bash: string;
  readonly seccomp: string;
  /** The name of the program for which they were made, as it appears in them. */
  readonly name: string;
}

export interface ProgramWords {
  /** Identifies the program's connections and refusals. */
  readonly name: string;
  /** Files of ours that it can write. */
  readonly writes: readonly string[];
  readonly bwrap: string;
  /** The PATH of the shells and programs around it. */
  readonly path: string;
  /** Null: the program has no network. */
  readonly bridge: { readonly socat: string; readonly socket: string; readonly ports: readonly number[] } | null;
  /** The file with the second filter of system calls. */
  readonly filter: string;
  /** What becomes the program; the program's own words follow. */
  readonly inside: readonly string[];
  /** The processes around the program ignore SIGTERM. */
  readonly isDeaf: boolean;
}

/** Any command will do, since it is replaced. This one needs no quotes. */
export const PLACEHOLDER = 'ralph-program';

export function bwrapWords(wrapped: string, name: string): BwrapWords {
  const words = wordsOf(wrapped);
  const [program = '', ...options] = words.slice(0, -4);
  const [end, bash = '', dashC, command = ''] = words.slice(-4);
  if (!program.endsWith('bwrap') || end !== '--' || dashC !== '-c') throw unexpected('a command line');
  const [, , script = ''] = wordsOf(command);
  const [seccomp = '', ...rest] = wordsOf(script.split('\n').at(-1) ?? '');
  const isLast = [bash, '-c', PLACEHOLDER].every((word, index) => rest[index] === word);
  if (!isLast || !seccomp.endsWith('/apply-seccomp')) throw unexpected('a command');
  const inWords = encodedName(name);
  if (!options.includes(inWords)) throw unexpected('a name');
  return { options, bash, seccomp, name: inWords };
}

/** The runtime encodes a command's name. Letters and digits give no characters that a URL would escape. */
export function encodedName(name: string): string {
  return Buffer.from(name).toString('base64');
}

/** The beginning of a command line; the program's words follow. */
export function programWords(made: BwrapWords, program: ProgramWords): [string, ...string[]] {
  const { bash, seccomp } = made;
  const { bridge, filter, inside, isDeaf } = program;
  const listening =
    bridge === null ? [] : [bash, '-c', BRIDGE, 'ralph-bridge', bridge.socat, bridge.socket, bridge.ports.join(' ')];
  const around = `${isDeaf ? 'trap "" TERM; ' : ''}${TAKE_AWAY}; "$@" ${FILTER_FD}<${shellQuote(filter)}; exit $?`;
  const options = [...optionsFor(made, program), '--setenv', 'PATH', program.path];
  return ['/bin/sh', '-c', around, 'ralph-sandbox', program.bwrap, ...options, '--', ...listening, seccomp, ...inside];
}

function optionsFor({ options, name }: BwrapWords, program: ProgramWords): string[] {
  const own = encodedName(program.name);
  const named = options.map((word) => word.replaceAll(name, own));
  // After all other files, so that nothing is mounted over them.
  const devices = named.indexOf('--dev');
  if (devices < 0) throw unexpected('devices');
  const writes = program.writes.flatMap((path) => ['--bind', path, path]);
  return [...named.slice(0, devices), ...writes, ...named.slice(devices)];
}

/** Around the program, shells must run nothing of the user's at their start; the program gets these variables back. */
const TAKE_AWAY = RUN_BY_SHELLS.map(
  (name) => `[ -z "\${${name}+set}" ] || { export ${INSIDE}${name}="$${name}"; unset ${name}; }`,
).join('; ');

/**
 * Starts listening before the filter applies, under which no Unix socket can be opened. The listeners are orphaned at
 * once: the filter must have no child but its own. The first one's messages go into a pipe, because reading the
 * kernel's list of sockets takes milliseconds. Nothing may keep that pipe's reading end once it listens: it reports
 * each connection, and would block when the pipe is full.
 */
const BRIDGE = `socat=$1 socket=$2 ports=$3; shift 3
listen() { trap "" PIPE; "$socat" "\${@:2}" TCP-LISTEN:$1,fork,reuseaddr "UNIX-CONNECT:$socket" </dev/null >/dev/null & }
for port in \${ports#* }; do ( listen $port 2>/dev/null ); done
exec 8< <( (listen \${ports%% *} -d -d 2>&1) )
while read -r -t 2 -u 8 line; do [[ $line != *" listening on "* ]] || break; done
exec 8<&-
exec "$@"`;

/** Quoted like the runtime does: bare, or in single quotes, with `'"'"'` for a single quote. */
export function wordsOf(text: string): string[] {
  if (text === '') return [];
  const words: string[] = [];
  const pattern = /(?:'([^']*(?:'"'"'[^']*)*)'|([\w./:=@+,-]+))(?: |$)/y;
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text);
    if (found === null) throw unexpected('its quotes');
    const [, quoted, bare = ''] = found;
    words.push(quoted?.replaceAll(`'"'"'`, "'") ?? bare);
  }
  return words;
}

/** What is mounted from this machine, except what is the same on all of them. */
export function bindsIn(options: readonly string[]): Bind[] {
  return options.flatMap((word, index) => {
    const source = options[index + 1] ?? '';
    if ((word !== '--bind' && word !== '--ro-bind') || ['/', '/proc', '/dev/null'].includes(source)) return [];
    return [{ source, target: options[index + 2] ?? '', isWritable: word === '--bind' }];
  });
}

function unexpected(what: string): Error {
  return new Error(`the sandbox runtime is not as expected: ${what}`);
}
