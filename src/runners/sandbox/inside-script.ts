/**
 * The script that becomes the program. For a program with a process of its own it is a file: the runtime takes one
 * string of at most 128 KB, and a prompt can be longer. A loop's helper passes the script and the program's words as
 * arguments.
 */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { quoteWord, shellQuote } from '../../core/text/quote-word.ts';
import type { Duration } from '../../core/time.ts';
import { checkingBinds } from './mount-check.ts';
import { INSIDE } from './own-environment.ts';

export interface InsideOptions {
  /** The ports of the machine's loopback that the sandbox's loopback leads to, and the port of the runtime's proxy. */
  readonly loopback: { readonly ports: readonly number[]; readonly proxy: number } | null;
  /** What must have been mounted, as the kernel lists it (`listedBinds`). */
  readonly mounts: readonly string[];
  /** What has to be locked from inside before the program begins. */
  readonly seal: Seal | null;
  /** The processes around the program ignore SIGTERM; the program does not. */
  readonly keepsAsked: boolean;
  readonly ownTerminal: boolean;
  /**
   * For what the program leaves behind. `outside`: a pid namespace in which nothing is ended. Null: the kernel ends it.
   */
  readonly seeOff: { readonly grace: Duration; readonly outside: string } | null;
  /** Only for the program, not for the processes around it. */
  readonly env: Readonly<Record<string, string>>;
}

/** A listener needs a few milliseconds; if there is none after two seconds, the program is started anyway. */
const LOOKS = 1000;
const LOOK_EVERY: Duration = 20;

export function insideScript(argv: readonly string[], options: InsideOptions): string {
  const { mounts, loopback, seal, keepsAsked, ownTerminal, seeOff, env } = options;
  const program = `${keepsAsked ? 'env --default-signal=TERM ' : ''}${BECOME}`;
  // A shell that reacts to SIGTERM must not stay around the program: it would end first.
  const after = keepsAsked ? seeOff : null;
  const isAround = ownTerminal || after !== null;
  const alone = after === null ? [`exec ${program}`] : [quietly(program)];
  return `${[
    ...(seal === null ? [] : sealing(seal)),
    ...checkingBinds(mounts),
    ...(loopback === null ? [] : listening(loopback)),
    ...Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    `set -- ${argv.map(shellQuote).join(' ')}`,
    ...(after === null ? [] : NOTING_WHO_IS_THERE),
    ...(ownTerminal ? inFront(program) : alone),
    ...(after === null ? [] : seeingOff(after)),
    ...(isAround ? ['exit $code'] : []),
  ].join('\n')}\n`;
}

/** The same for any program: its words follow those that are returned, its variables are those with `RALPH_INSIDE_`. */
export function insideWords(
  bash: string,
  { mounts, loopback, seal, keepsAsked, seeOff }: Omit<InsideOptions, 'ownTerminal' | 'env'>,
  table: string,
): string[] {
  const program = keepsAsked ? 'env --default-signal=TERM -- "$@"' : BECOME;
  const after = keepsAsked ? seeOff : null;
  const script = [
    ...checkingBinds(mounts),
    // `env` would take a program with an equals sign in its name for a variable.
    ...(keepsAsked ? [`case $1 in *=*) set -- ${BECOME} ;; esac`] : []),
    ...(loopback === null ? [] : forwarding(loopback)),
    TAKE_INSIDE,
    ...(after === null
      ? [`exec ${program}`]
      : [...NOTING_WHO_IS_THERE, quietly(program), ...seeingOff(after), 'exit $code']),
  ].join('\n');
  if (seal === null) return [bash, '-c', script, 'ralph-inside'];
  return ['/bin/sh', '-c', sealingAtOnce(seal, table).join('\n'), 'ralph-seal', script];
}

const TAKE_INSIDE = `for v in "\${!${INSIDE}@}"; do export "\${v#${INSIDE}}=\${!v}"; unset -v "$v"; done`;

const BECOME = `sh -c 'exec "$@"' ralph-inside "$@"`;

/**
 * Runs itself again in a user namespace of its own: from there, the mounts made here cannot be undone, nor the
 * sandbox's processes traced. This comes before the program's PATH, where the agent may have planted programs. What
 * fails here fails the run.
 */
function sealing({ machine, readOnly }: Seal): string[] {
  return [
    'if [ "$1" != sealed ]; then',
    REFUSE,
    LAST_NAMESPACE,
    ...(machine === null ? [] : [IS_OWN_PROC, cover(machine)]),
    ...readOnly.map(makeReadOnly),
    `${UNSHARE} ${WITHOUT_MOUNTS} bash "$0" sealed`,
    'fi',
  ];
}

const REFUSE = 'refuse() { echo "ralph: the sandbox cannot be made: $1" >&2; exit 125; }';
const UNSHARE = 'exec unshare --user --map-root-user --mount --propagation unchanged';
/**
 * The program's user namespace must be the last one: in another, or with the right to make a mount namespace, a program
 * could rename what is mounted over, and put something else in its place. Written before the settings become read-only.
 */
const LAST_NAMESPACE = 'echo 1 2>/dev/null >/proc/sys/user/max_user_namespaces';
const WITHOUT_MOUNTS = 'setpriv --bounding-set=-sys_admin,-sys_resource --inh-caps=-sys_admin,-sys_resource';

/** With one `mount` for all of them, by a table. If that fails, or covers only some, with one `mount` each. */
function sealingAtOnce({ machine, readOnly }: Seal, table: string): string[] {
  return [
    'inside=$1; shift',
    REFUSE,
    LAST_NAMESPACE,
    ...(machine === null ? [] : [IS_OWN_PROC]),
    ...(readOnly.length === 0 ? [] : [`mount -n -c -a -T ${shellQuote(table)} 2>/dev/null`]),
    ...(machine === null ? [] : [`[ ! -e ${shellQuote(machine)}/stat ] || ${cover(machine)}`]),
    'started=',
    ...readOnly.map((path) => `[ ! -w ${path} ] || { mount ${READ_ONLY} ${path} ${path} & started="$started $!"; }`),
    'for one in $started; do wait "$one" || refuse "the settings of the kernel stay writable"; done',
    `${UNSHARE} ${WITHOUT_MOUNTS} bash -c "$inside" ralph-inside "$@"`,
  ];
}

/**
 * The table for `mount -a`, in the form of an fstab. It skips what it finds mounted already, which may be further down,
 * under another /proc: so targets are spelled in a way that it does not find, and `-c` keeps it from normalising them.
 */
export function sealTable({ machine, readOnly }: Seal): string {
  const escaped = (path: string): string =>
    path.replaceAll(/[\s\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
  const target = (path: string): string => escaped(`${dirname(path)}/./${basename(path)}`);
  const cover = machine === null ? [] : [`none ${target(machine)} tmpfs defaults 0 0`];
  return [...cover, ...readOnly.map((path) => `${path} ${target(path)} none bind,ro 0 0`), ''].join('\n');
}

/** Only our own /proc shows this process under its own pid. */
const IS_OWN_PROC = 'read -r seen _ </proc/self/stat; [ "$seen" = $$ ] || refuse "no /proc of its own"';

const cover = (machine: string): string =>
  `mount -n -t tmpfs none ${shellQuote(machine)} || refuse "the machine's /proc stays in sight"`;

const makeReadOnly = (path: string): string => `mount ${READ_ONLY} ${path} ${path} || refuse "${path} stays writable"`;
const READ_ONLY = '-n --bind -o ro';

/**
 * In a group of its own, or each Ctrl-C would arrive twice. After a Ctrl-Z it is continued: nothing else would do so.
 */
function inFront(command: string): string[] {
  return ['set -m', `${command}; code=$?`, 'while [ -n "$(jobs -s)" ]; do fg >/dev/null; code=$?; done'];
}

/** Without the shell's own message about a program that was ended by a signal. */
function quietly(command: string): string {
  return `exec 9>&2 2>/dev/null; ${command} 2>&9 9>&-; code=$?; exec 2>&9 9>&-`;
}

/** Notes the sandbox's own processes, which ignore SIGTERM; any later ones are the program's. */
const NOTING_WHO_IS_THERE = [`before=" "; for p in /proc/[0-9]*; do before="$before\${p#/proc/} "; done`];

/** The machine's /proc does not show which processes are the program's: then the kernel ends them with the sandbox. */
function seeingOff({ grace, outside }: NonNullable<InsideOptions['seeOff']>): string[] {
  return [
    `left() { left=; for p in /proc/[0-9]*; do p=\${p#/proc/}; [[ $before == *" $p "* ]] || left="$left $p"; done; [ "$left" ]; }`,
    'read -r seen _ </proc/self/stat',
    `if [ "$seen" = $$ ] && left && space=$(readlink /proc/self/ns/pid) && [ "$space" != ${shellQuote(outside)} ] && left; then
      kill -TERM $left
      for ((i = 0; i < ${Math.ceil(grace / LOOK_EVERY)}; i++)); do left || break; sleep ${LOOK_EVERY / 1000}; done
    fi 2>/dev/null`,
  ];
}

/** The runtime starts its own listener without waiting for it: a program's first connection would be refused. */
function listening({ ports, proxy }: NonNullable<InsideOptions['loopback']>): string[] {
  return [...forwarding({ ports, proxy }), LISTENS, isListened(proxy)];
}

function forwarding({ ports, proxy }: NonNullable<InsideOptions['loopback']>): string[] {
  return ports.length === 0 ? [] : [LISTENS, ...ports.map((port) => forwarded(port, proxy)), ...ports.map(isListened)];
}

/** Orphaned at once, so that the program has no child that it did not start. */
function forwarded(port: number, proxy: number): string {
  const listen = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`;
  const auth = `proxyport=${proxy},proxyauth=$CLOUDSDK_PROXY_USERNAME:$CLOUDSDK_PROXY_PASSWORD`;
  return `( socat ${listen} "PROXY:127.0.0.1:127.0.0.1:${port},${auth}" </dev/null >/dev/null 2>&1 & )`;
}

/** Reads the kernel's list, in hexadecimal: connecting would reach the server behind the port. */
function isListened(port: number): string {
  const listed = port.toString(16).toUpperCase().padStart(4, '0');
  return `for i in {1..${LOOKS}}; do listens ${listed} && break; sleep 0.002; done`;
}

/** In the shell itself: starting a program for each look would take longer than the wait. */
const LISTENS = `listens() { local list lines
  for list in /proc/net/tcp /proc/net/tcp6; do
    [ -r $list ] && mapfile lines <$list && [[ "\${lines[*]}" == *:"$1 "+(0):0000\\ 0A* ]] && return
  done; return 1; }`;

export interface Seal {
  /** Where the machine's /proc is visible; null if the program has no other. */
  readonly machine: string | null;
  readonly readOnly: readonly string[];
}

/** Where writing changes the kernel. */
const ORDERS = ['acpi', 'bus', 'fs', 'irq', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);

/**
 * The /proc of a program that runs as root. It must not show the sandbox's own processes: the runtime's seccomp helper,
 * which has no filter itself, could be written to through `/proc/<n>/mem` and made to open sockets. And root can write
 * the settings of the one kernel even in a user namespace: the program for core dumps, for example, which runs outside.
 *
 * The seccomp helper mounts a /proc for its pid namespace, which the kernel allows only if some /proc has nothing
 * mounted over a part of it. Users other than root can neither write the settings nor trace processes with more rights.
 * For root, bubblewrap covers parts of the /proc that it makes, so the machine's is shown as well. Once the program's
 * /proc is made, the machine's is covered, or the program could make one, too; and the settings in the program's /proc
 * are made read-only (`Seal`).
 *
 * `sharesProc`: no other /proc can be made, as in most containers. `folder`: visible inside, and empty.
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
