/** What can be wrong with a file or a folder. Each fault can be put in place and repaired. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import type { How } from './loop-kinds.ts';
import type { Mounts } from './mounts.ts';

export interface Fault {
  readonly name: string;
  /** What should be at the path. */
  readonly of: 'file' | 'folder';
  /** Set if the file or folder must exist. */
  readonly needs?: 'there';
  /** What the error message says, if there is one. */
  readonly reason: RegExp;
  /** Returns how to run programs so that they meet the fault. */
  put(path: string, mounts: Mounts): How;
  repair(path: string, mounts: Mounts): void;
}

/** File modes do not stop root, unless it drops these capabilities. */
export const AS_ANYBODY =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];

function instead(name: string, reason: RegExp, of: Fault['of'], make: (path: string) => void): Fault {
  return {
    name,
    of,
    reason,
    put(path) {
      if (existsSync(path)) renameSync(path, `${path}.kept`);
      make(path);
      return {};
    },
    repair(path) {
      rmSync(path, { recursive: true, force: true });
      if (existsSync(`${path}.kept`)) renameSync(`${path}.kept`, path);
    },
  };
}

function pipe(path: string): void {
  execFileSync('mkfifo', [path]);
}

function permission(of: Fault['of']): Fault {
  let mode = 0;
  return {
    name: 'no permission',
    of,
    needs: 'there',
    reason: /permission denied/i,
    put(path) {
      mode = statSync(path).mode & 0o777;
      chmodSync(path, of === 'folder' ? 0o100 : 0);
      return { front: AS_ANYBODY };
    },
    repair: (path) => chmodSync(path, mode),
  };
}

const full: Fault = {
  name: 'a full disk',
  of: 'folder',
  reason: /no space left on device/,
  put(path, { smallDisk, front, seen }) {
    smallDisk(path, '4m');
    execFileSync('sh', [
      '-c',
      'cp -a "$0/." "$1" 2>/dev/null; cat /dev/zero >"$1/filler" 2>/dev/null || true',
      path,
      seen(path),
    ]);
    return { front };
  },
  repair: (path, { unmount }) => unmount(path),
};

const readOnly: Fault = {
  name: 'a read-only disk',
  of: 'folder',
  reason: /read-only/,
  put(path, mounts) {
    mounts.readOnly(path);
    return { front: mounts.front };
  },
  repair: (path, { unmount }) => unmount(path),
};

const NOT_A_FOLDER = /not a (folder|directory)|something else has this name/i;
const LINK = /too many (symbolic )?links|link/i;

export const FOLDER_FAULTS: readonly Fault[] = [
  full,
  readOnly,
  permission('folder'),
  instead('a file', NOT_A_FOLDER, 'folder', (path) => writeFileSync(path, 'mine\n')),
  instead('a link to itself', LINK, 'folder', (path) => symlinkSync(path, path)),
];

const NOT_A_FILE = /not a (regular |plain )?file|a (folder|directory)/i;
const DAMAGED =
  /damaged|corrupt|not valid|invalid|cannot be read|is not|was not created by ralph|no records|unknown key|is empty|:\d+:\d+: /i;

export const FILE_FAULTS: readonly Fault[] = [
  permission('file'),
  instead('a folder', NOT_A_FILE, 'file', (path) => mkdirSync(path)),
  instead('a pipe', NOT_A_FILE, 'file', pipe),
  instead('a link to itself', LINK, 'file', (path) => symlinkSync(path, path)),
  instead('garbage', DAMAGED, 'file', (path) => writeFileSync(path, Buffer.from([0, 255, 254, 10, 128, 7, 10]))),
  instead("another program's file", DAMAGED, 'file', (path) =>
    writeFileSync(path, '{"name":"left-pad","version":"1.3.0"}\n'),
  ),
  instead('an empty file', DAMAGED, 'file', (path) => writeFileSync(path, '')),
];

/** Faults of an agent's executable. */
export const PROGRAM_FAULTS: readonly Fault[] = [
  instead('none', /not found/, 'file', () => undefined),
  instead('a folder', /not found|directory|not executable|permission denied/i, 'file', (path) => mkdirSync(path)),
  instead('a file that is no program', /not executable|permission denied|not found/i, 'file', (path) =>
    writeFileSync(path, 'x'),
  ),
  instead('a program whose interpreter is missing', /not found|no such file|interpreter/i, 'file', (path) =>
    writeFileSync(path, '#!/no/such/interpreter\n', { mode: 0o755 }),
  ),
];
