/**
 * Simulates a Mac on Linux: programs that are started through `front` find no /proc, no cgroups and no GNU programs,
 * only busybox under the names that macOS also has, fakes of ps, sysctl, ioreg and sandbox-exec (programs/), and a Node
 * that reports `darwin` (preload.cjs). docs/platforms.md says what such tests prove.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../src/process/which.ts';
import { testFolder } from '../support/folder.ts';

export interface Mac {
  /** Runs the command that follows on the simulated Mac. */
  readonly front: readonly string[];
  readonly path: string;
  /** Variables that users of a Mac can have, but that are rare on the Linux machines of developers. */
  readonly env: Readonly<Record<string, string>>;
  /** The profiles that were passed to sandbox-exec. */
  profiles(): string[];
}

/** Without stat and date, which differ too much from those of macOS, and without what macOS lacks: setsid, timeout … */
const BUSYBOX =
  `awk basename cat chmod cmp cp cut diff dirname du echo ed env expr false find fold grep egrep head hostname id
  kill less ln ls mkdir mkfifo mktemp more mv nl od paste printf pwd readlink rm rmdir sed seq sleep sort strings stty tail tar
  tee test touch tr true tty uname uniq which whoami xargs yes [`.split(/\s+/);
/** Programs of the system that are much the same everywhere. */
const REAL = ['bash', 'git', 'perl'];
/** Installed by Homebrew or an installer, so ps shows their environment. */
const INSTALLED = ['tmux', 'rg'];
/** The fakes in programs/, by the folder that they go into. */
const OWN = { bin: ['log', 'ps', 'sandbox-exec', 'wc'], sbin: ['ioreg', 'sysctl'], local: ['node'] } as const;

/** The PATH of programs that were not started in a terminal. */
export const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

/** On a Mac `sh` is bash in its POSIX mode, unless dash was chosen. */
export const SHELLS = ['bash', 'dash', 'busybox'] as const;

export function makeMac(sh: (typeof SHELLS)[number] = 'bash'): Mac {
  const mac = testFolder();
  const system = join(mac, 'hidden/bin');
  for (const folder of ['bin', 'sbin', 'local', 'hidden/bin', 'hidden/proc', 'profiles']) {
    mkdirSync(join(mac, folder), { recursive: true });
  }
  for (const name of BUSYBOX) symlinkSync(join(system, 'busybox'), join(mac, 'bin', name));
  for (const name of REAL) symlinkSync(join(system, name), join(mac, 'bin', name));
  for (const name of INSTALLED) symlinkSync(join(system, name), join(mac, 'local', name));
  // npm, a script for Node, is installed beside it.
  const npm = findProgram('npm', process.env.PATH, '/');
  if (npm !== null) symlinkSync(realpathSync(npm), join(mac, 'local/npm'));
  symlinkSync(join(system, sh), join(mac, 'bin/sh'));
  writeFileSync(join(mac, 'denied'), '', { mode: 0o644 });
  const booted = Date.now() / 1000 - uptime();
  const filled: Record<string, string> = {
    PROC: join(mac, 'hidden/proc'),
    SYSTEM: system,
    INSTALLED: `/(?:${['node', ...INSTALLED].join('|')})$`,
    BOOTED_SECONDS: String(Math.floor(booted)),
    BOOTED: String(booted),
    SESSION: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim().toUpperCase(),
    BUSYBOX: join(system, 'busybox'),
    PROFILES: join(mac, 'profiles'),
    DENIED: join(mac, 'denied'),
    PRELOAD: join(import.meta.dirname, 'preload.cjs'),
  };
  const fill = (text: string): string => text.replaceAll(/@([A-Z_]+)@/g, (_, key: string) => filled[key] ?? '');
  for (const [folder, names] of Object.entries(OWN)) {
    for (const name of names) {
      const text = readFileSync(join(import.meta.dirname, 'programs', name), 'utf8');
      writeFileSync(join(mac, folder, name), fill(text), { mode: 0o755 });
    }
  }
  const user = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return {
    front: ['unshare', ...user, '--mount', '--', 'sh', join(import.meta.dirname, 'enter.sh'), mac],
    path: `/usr/local/bin:${SYSTEM_PATH}`,
    env: { LANG: 'de_DE.UTF-8', TZ: 'America/New_York', PERL_BADLANG: '0' },
    profiles: () => readdirSync(join(mac, 'profiles')).map((name) => readFileSync(join(mac, 'profiles', name), 'utf8')),
  };
}

/** Runs a shell line on the simulated Mac, and returns its stdout. */
export function onMac(mac: Mac, line: string, env: Readonly<Record<string, string>> = {}): string {
  const [command, ...args] = [...mac.front, 'sh', '-c', line];
  return execFileSync(command, args, { encoding: 'utf8', env: { PATH: mac.path, ...env } });
}
