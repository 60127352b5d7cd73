/** The script that becomes the program. A file: the runtime takes one string, of 128 KB at most; a prompt may be longer. */
import { existsSync } from 'node:fs';
import { quoteWord, shellQuote } from '../../core/text/quote-word.ts';
import type { Duration } from '../../core/time.ts';

export interface InsideOptions {
  /** The ports of the machine's loopback that the sandbox's leads to, and where the runtime listens for its proxy. */
  readonly loopback: { readonly ports: readonly number[]; readonly proxy: number } | null;
  /** What still has to be locked from in here, before the program begins. */
  readonly seal: Seal | null;
  /** The processes around the program do not hear SIGTERM; it does. */
  readonly keepsAsked: boolean;
  readonly ownTerminal: boolean;
  /** For what the program leaves behind. `outside`: the pid namespace where none is ended. Null: the kernel ends it. */
  readonly seeOff: { readonly grace: Duration; readonly outside: string } | null;
  /** Of the program, unlike those around it. */
  readonly env: Readonly<Record<string, string>>;
}

/** A listener needs a few milliseconds; without one the program is started all the same, after two seconds. */
const LOOKS = 200;
const LOOK_EVERY: Duration = 20;

export function insideScript(argv: readonly string[], options: InsideOptions): string {
  const { loopback, seal, keepsAsked, ownTerminal, seeOff, env } = options;
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
 * Plays itself again in a user namespace of its own: from there the mounts made here cannot be undone, nor the sandbox's
 * processes traced. Before the program's PATH, where the agent may have planted programs. What fails here fails the run.
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

/** In a group of its own, or each Ctrl-C would come twice. After a Ctrl-Z nothing would wake it up: it goes on. */
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
function seeingOff({ grace, outside }: NonNullable<InsideOptions['seeOff']>): string[] {
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
function listening({ ports, proxy }: NonNullable<InsideOptions['loopback']>): string[] {
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

interface Seal {
  /** Where the machine's /proc is shown; null where the program has no other. */
  readonly machine: string | null;
  readonly readOnly: readonly string[];
}

/** Where the kernel takes orders. */
const ORDERS = ['acpi', 'bus', 'fs', 'irq', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);

/**
 * What a program of root's has for a /proc. It must not show the sandbox's own processes: the runtime's seccomp helper,
 * which has no filter itself, could be written through `/proc/<n>/mem` and made to open sockets. And root may write the
 * settings of the one kernel even in a user namespace: the program for core dumps, for one, which runs outside.
 *
 * The seccomp helper mounts a /proc for its pid namespace, which the kernel allows only where some /proc has nothing
 * mounted over a part of it. Other users than root may neither write the settings nor trace what has more rights. For
 * root bubblewrap covers parts of the one that it makes. There the machine's is shown as well; once the program's is made,
 * it is covered, or the program could make one, too, and the settings in the program's are made read-only (`Seal`).
 *
 * `sharesProc`: no other /proc can be made, as in most containers. `folder`: seen inside, and empty.
 */
export function rootProc(sharesProc: boolean, folder: string): { within(wrapped: string): string; seal: Seal } {
  const orders = ORDERS.filter((path) => existsSync(path));
  if (sharesProc) {
    const kept = orders.map((path) => ` --ro-bind ${path} ${path}`);
    return {
      within: (wrapped) => exchanged(wrapped, ' --bind /proc /proc ', ` --bind /proc /proc${kept.join('')} `),
      seal: { machine: null, readOnly: [] },
    };
  }
  const machine = ` --bind /proc ${quoteWord(folder)}`;
  return {
    within: (wrapped) => exchanged(wrapped, ' --proc /proc ', `${machine} --proc /proc `),
    seal: { machine: folder, readOnly: orders },
  };
}

export function exchanged(wrapped: string, from: string, to: string): string {
  const changed = wrapped.replace(from, () => to);
  if (changed === wrapped) throw new Error(`the sandbox runtime is not as expected: no ${from.trim()}`);
  return changed;
}
