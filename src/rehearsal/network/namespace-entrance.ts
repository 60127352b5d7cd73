/**
 * The way into a network namespace of one's own: `unshare` makes it, the loopback is brought up in it, and every
 * step then replaces itself with the next, so that the command is the very process that was started.
 */
import { spawnSync } from 'node:child_process';
import { shellQuote } from '../../core/text/quote-word.ts';
import { findProgram } from '../../process/which.ts';

export type Entrance =
  | { readonly kind: 'open'; inside(argv: readonly string[]): CommandLine }
  | { readonly kind: 'missing'; readonly what: 'unshare' | 'loopback' }
  /** In the words of the program that was refused. */
  | { readonly kind: 'refused'; readonly words: string };

type CommandLine = readonly [string, ...string[]];

export interface Visitor {
  /** Where programs are looked for. */
  readonly path: string;
  readonly isRoot: boolean;
}

/** A new namespace's loopback is down; any of these brings it up (ioctl SIOCSIFFLAGS, with IFF_UP and IFF_RUNNING). */
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

/** Root needs no user namespace, which would hide other users; where it has lost its powers, that is still a way. */
const AS_ROOT = [[], ['--map-current-user', '--keep-caps']];
/** The uid stays; the capabilities are for the loopback. */
const AS_USER = [['--map-current-user', '--keep-caps']];

/**
 * Gives the capabilities back, since with them no file mode would stop a test that expects to be stopped; and sees to
 * it that a killed outer ralph does not leave the inner one at work.
 */
const LAST_STEP = ['--inh-caps=-all', '--ambient-caps=-all', '--pdeathsig', 'TERM', '--'];

/** The first way that works here: each is tried with a command that does nothing. */
export function findEntrance({ path, isRoot }: Visitor): Entrance {
  const find = (program: string): string | null => findProgram(program, path, '/');
  const unshare = find('unshare');
  const shell = find('sh');
  if (unshare === null || shell === null) return { kind: 'missing', what: 'unshare' };
  const tool = LOOPBACK_UP.find(([program]) => find(program) !== null);
  if (tool === undefined) return { kind: 'missing', what: 'loopback' };
  const setpriv = find('setpriv');

  const [program, ...args] = tool;
  const script = `${[find(program) ?? program, ...args].map(shellQuote).join(' ')} && exec "$@"`;
  const ways = (isRoot ? AS_ROOT : AS_USER).flatMap((user) => {
    const way = [...user, '--net', '--', shell, '-c', script, 'ralph-rehearse'];
    return setpriv === null ? [way] : [[...way, setpriv, ...LAST_STEP], way];
  });
  let words = '';
  for (const way of ways) {
    const inside = (argv: readonly string[]): CommandLine => [unshare, ...way, ...argv];
    const complaint = complaintOf(inside(['true']), path);
    if (complaint === null) return { kind: 'open', inside };
    words ||= complaint;
  }
  return { kind: 'refused', words };
}

function complaintOf([program, ...args]: CommandLine, path: string): string | null {
  const { status, stderr } = spawnSync(program, args, {
    // Its words are looked at and shown.
    env: { PATH: path, LC_ALL: 'C' },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return null;
  const [complaint = ''] = stderr.trim().split('\n');
  return complaint.replace(/^unshare: /, '') || `unshare ended with ${status}`;
}
