/**
 * The shell script that becomes the program inside the sandbox. A file, because the runtime takes one shell string, and
 * one string may have 128 KB: less than a prompt and its quotes.
 */
import { shellQuote } from '../../core/text/quote-word.ts';
import type { Duration } from '../../core/time.ts';
import type { Seal } from './proc.ts';

export interface InsideOptions {
  readonly loopback: Loopback | null;
  /** What still has to be locked from in here, before the program begins. */
  readonly seal: Seal | null;
  /** The processes around the program do not hear SIGTERM; it does. */
  readonly keepsAsked: boolean;
  readonly ownTerminal: boolean;
  /** What becomes of the processes that the program leaves behind; null: the kernel ends them with the sandbox. */
  readonly seeOff: SeeOff | null;
  /** Of the program, unlike those around it. */
  readonly env: Readonly<Record<string, string>>;
}

export interface SeeOff {
  /** How long they have, once they are asked to end. */
  readonly grace: Duration;
  /** The pid namespace around the sandbox: in that one no process is ended. */
  readonly outside: string;
}

export interface Loopback {
  /** Of the machine's own loopback; the sandbox's leads to them. */
  readonly ports: readonly number[];
  /** Where the runtime's own listener leads to its proxy. */
  readonly proxy: number;
}

/** A listener needs a few milliseconds; without one the program is started all the same, after two seconds. */
const LOOKS = 200;
/** At the processes that are left. */
const LOOK_EVERY: Duration = 20;

export function insideScript(
  argv: readonly string[],
  { loopback, seal, keepsAsked, ownTerminal, seeOff, env }: InsideOptions,
): string {
  const program = `${keepsAsked ? 'env --default-signal=TERM ' : ''}${BECOME}`;
  // A shell that hears SIGTERM itself must not stand around the program: it would go first.
  const after = keepsAsked ? seeOff : null;
  const isAround = ownTerminal || after !== null;
  const alone = after === null ? [`exec ${program}`] : [quietly(program)];
  return `${[
    ...(seal === null ? [] : sealing(seal)),
    ...(loopback === null ? [] : listening(loopback)),
    ...Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    `set -- ${argv.map(shellQuote).join(' ')}`,
    ...(after === null ? [] : NOTING_WHO_IS_THERE),
    ...(ownTerminal ? inFront(program) : alone),
    ...(after === null ? [] : seeingOff(after)),
    ...(isAround ? ['exit $code'] : []),
  ].join('\n')}\n`;
}

const BECOME = `sh -c 'exec "$@"' ralph-inside "$@"`;

/**
 * Plays itself again in a user namespace of its own. From there the mounts made here cannot be undone, and the processes
 * of the sandbox cannot be traced: they belong to a namespace above. It comes before the program's PATH, in which the
 * agent may have planted programs. What fails here fails the run.
 */
function sealing({ machine, readOnly }: Seal): string[] {
  return [
    'if [ "$1" != sealed ]; then',
    'refuse() { echo "ralph: the sandbox cannot be made: $1" >&2; exit 125; }',
    ...(machine === null ? [] : covering(machine)),
    ...readOnly.map((path) => `mount -n --bind -o ro ${path} ${path} || refuse "${path} stays writable"`),
    'exec unshare --user --map-root-user --mount --propagation unchanged bash "$0" sealed',
    'fi',
  ];
}

/** It is the program's own /proc that shows this process by its own number. */
function covering(machine: string): string[] {
  return [
    'read -r seen _ </proc/self/stat',
    '[ "$seen" = $$ ] || refuse "no /proc of its own"',
    `mount -n -t tmpfs none ${shellQuote(machine)} || refuse "the machine's /proc stays in sight"`,
  ];
}

/**
 * In a process group of its own that holds the terminal, or each Ctrl-C would come twice: from the terminal, and from the
 * process around it that hands on what it hears. After a Ctrl-Z nothing would wake it up: it goes on.
 */
function inFront(command: string): string[] {
  return ['set -m', `${command}; code=$?`, 'while [ -n "$(jobs -s)" ]; do fg >/dev/null; code=$?; done'];
}

/** Without the shell's own message about a program that a signal ended. */
function quietly(command: string): string {
  return `exec 9>&2 2>/dev/null; ${command} 2>&9 9>&-; code=$?; exec 2>&9 9>&-`;
}

/** The sandbox's own processes, which do not hear SIGTERM; those that come later are the program's. */
const NOTING_WHO_IS_THERE = [`before=" "; for p in /proc/[0-9]*; do before="$before\${p#/proc/} "; done`];

/** Where the /proc is the machine's, it does not tell which are the program's: the kernel ends them with the sandbox. */
function seeingOff({ grace, outside }: SeeOff): string[] {
  return [
    `left() { left=; for p in /proc/[0-9]*; do p=\${p#/proc/}; [[ $before == *" $p "* ]] || left="$left $p"; done; [ "$left" ]; }`,
    'read -r seen _ </proc/self/stat',
    `if [ "$seen" = $$ ] && space=$(readlink /proc/self/ns/pid) && [ "$space" != ${shellQuote(outside)} ] && left; then
      kill -TERM $left
      for ((i = 0; i < ${Math.ceil(grace / LOOK_EVERY)}; i++)); do left || break; sleep ${LOOK_EVERY / 1000}; done
    fi 2>/dev/null`,
  ];
}

/** The runtime starts its own listener and does not wait for it: a program's first connection would be refused. */
function listening({ ports, proxy }: Loopback): string[] {
  return [...ports.map((port) => forwarded(port, proxy)), ...[...ports, proxy].map(isListened)];
}

/** Orphaned at once, so that the program has no child that it did not start. */
function forwarded(port: number, proxy: number): string {
  const listen = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`;
  const auth = `proxyport=${proxy},proxyauth=$CLOUDSDK_PROXY_USERNAME:$CLOUDSDK_PROXY_PASSWORD`;
  return `( socat ${listen} "PROXY:127.0.0.1:127.0.0.1:${port},${auth}" </dev/null >/dev/null 2>&1 & )`;
}

/** In hexadecimal, as the kernel lists it: connecting would reach the server behind it. */
function isListened(port: number): string {
  const listed = `:${port.toString(16).toUpperCase().padStart(4, '0')} 0*:0000 0A`;
  return `for i in {1..${LOOKS}}; do grep -qs '${listed}' /proc/net/tcp /proc/net/tcp6 && break; sleep 0.01; done`;
}
