/**
 * Checks whether this process is cut off from every network except the loopback, and how to cut it off: `unshare`
 * creates a network namespace, the loopback is brought up in it, and each step then replaces itself with the next, so
 * that the command is the very process that was started.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { shellQuote } from '../core/text/quote-word.ts';
import { plainTextIfThere } from '../process/files.ts';
import { findProgram } from '../process/which.ts';
import type { Environment } from './environment.ts';

export type Network =
  /** There is only the loopback, whether or not we made it so. */
  | { readonly kind: 'shut' }
  /** It can be shut: run the command through `inside`, with these variables added. */
  | ({ readonly kind: 'can-shut'; readonly mark: Environment } & Entrance)
  /** Why it cannot be shut, and what would help. */
  | ({ readonly kind: 'open' } & Refusal);

export type Entrance = { inside(argv: readonly string[]): CommandLine };
type Refusal = { readonly why: string; readonly hint: string };

type CommandLine = readonly [string, ...string[]];

/** Holds the id of the outer namespace; inside, it differs from the current one. It prevents entering endlessly. */
const MARK = 'RALPH_REHEARSAL_OUTSIDE';

/** Often missing in a user's PATH. */
const SYSTEM_PROGRAMS = '/usr/sbin:/sbin';

export function lookAtNetwork(env: Environment): Network {
  if (process.platform !== 'linux') {
    const hint = 'a container without a network does the same: docker run --network none';
    return { kind: 'open', why: 'only Linux has network namespaces', hint };
  }
  const here = readlinkSync('/proc/self/ns/net');
  if (env[MARK] !== undefined && env[MARK] !== here) return { kind: 'shut' };
  if (hasOnlyLoopback()) return { kind: 'shut' };
  const path = `${env.PATH ?? ''}:${SYSTEM_PROGRAMS}`;
  const entrance = findEntrance(path, process.getuid?.() === 0);
  return 'why' in entrance ? { kind: 'open', ...entrance } : { kind: 'can-shut', ...entrance, mark: { [MARK]: here } };
}

/** As in a container without a network. A loopback that is down does not help us. */
function hasOnlyLoopback(): boolean {
  const devices = readFileSync('/proc/self/net/dev', 'utf8').matchAll(/^ *([^\s:|]+):/gm);
  return [...devices].every(([, name]) => name === 'lo') && Object.keys(networkInterfaces()).includes('lo');
}

/** A new namespace's loopback is down; each of these brings it up (ioctl SIOCSIFFLAGS, with IFF_UP and IFF_RUNNING). */
const LOOPBACK_UP: readonly CommandLine[] = [
  ['ip', 'link', 'set', 'lo', 'up'],
  ['ifconfig', 'lo', 'up'],
  ['busybox', 'ip', 'link', 'set', 'lo', 'up'],
  [
    'perl',
    '-e',
    'use Socket; socket(S, PF_INET, SOCK_DGRAM, 0) or die $!; $lo = pack("a16 s x22", "lo", 0x41); ioctl(S, 0x8914, $lo) or die $!',
  ],
  [
    'python3',
    '-c',
    'import fcntl, socket, struct; fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, struct.pack("16sh22x", b"lo", 0x41))',
  ],
];

/** Keeps the uid; the capabilities are needed for the loopback. */
const AS_USER = ['--map-current-user', '--keep-caps'];
/** Root needs no user namespace, which would hide other users; but one helps if root has lost its capabilities. */
const AS_ROOT = [[], AS_USER];

/**
 * Drops the capabilities, because with them file modes would not stop a test that expects to be stopped; and ends the
 * inner ralph if the outer one is killed.
 */
const LAST_STEP = ['--inh-caps=-all', '--ambient-caps=-all', '--pdeathsig', 'TERM', '--'];

/** The first way that works here: each one is tried with a command that does nothing. */
export function findEntrance(path: string, isRoot: boolean): Entrance | Refusal {
  const find = (program: string): string | null => findProgram(program, path, '/');
  const unshare = find('unshare');
  const shell = find('sh');
  if (unshare === null || shell === null) return { why: 'unshare is not installed', hint: 'it is part of util-linux' };
  const tool = LOOPBACK_UP.find(([program]) => find(program) !== null);
  if (tool === undefined) {
    const hint = 'any of ip (iproute2), ifconfig, busybox, perl or python3 can';
    return { why: 'nothing here can bring up a loopback', hint };
  }
  const setpriv = find('setpriv');

  const [program, ...args] = tool;
  const script = `${[find(program) ?? program, ...args].map(shellQuote).join(' ')} && exec "$@"`;
  const ways = (isRoot ? AS_ROOT : [AS_USER]).flatMap((user) => {
    const way = [...user, '--net', '--', shell, '-c', script, 'ralph-rehearse'];
    return setpriv === null ? [way] : [[...way, setpriv, ...LAST_STEP], way];
  });
  let words = '';
  for (const way of ways) {
    const inside = (argv: readonly string[]): CommandLine => [unshare, ...way, ...argv];
    const complaint = complaintOf(inside(['true']), path);
    if (complaint === null) return { inside };
    words ||= complaint;
  }
  return { why: words, hint: hintFor(words) };
}

function complaintOf([program, ...args]: CommandLine, path: string): string | null {
  const { status, stderr } = spawnSync(program, args, {
    env: { PATH: path, LC_ALL: 'C' },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return null;
  const [complaint = ''] = stderr.trim().split('\n');
  return complaint.replace(/^unshare: /, '') || `unshare ended with ${status}`;
}

/** Kernel settings that can keep ordinary users from creating namespaces. */
const SWITCHES = [
  { name: 'kernel.apparmor_restrict_unprivileged_userns', bad: '1', good: '0' },
  { name: 'kernel.unprivileged_userns_clone', bad: '0', good: '1' },
  { name: 'user.max_user_namespaces', bad: '0', good: '15000' },
  { name: 'user.max_net_namespaces', bad: '0', good: '15000' },
];

export function hintFor(words: string, proc = '/proc/sys'): string {
  if (words.includes('option')) return 'util-linux 2.36 or later is needed';
  // A setting that the kernel does not have is not the problem.
  const setting = (name: string) => plainTextIfThere(`${proc}/${name.replaceAll('.', '/')}`)?.trim();
  const off = SWITCHES.find(({ name, bad }) => setting(name) === bad);
  if (off) return `to allow it: sudo sysctl ${off.name}=${off.good}`;
  // Files that Docker and Podman create.
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) {
    return 'start the container with --network none, or with --cap-add SYS_ADMIN';
  }
  return 'root may do it, and other users where user namespaces are allowed';
}
