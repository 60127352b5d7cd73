/**
 * Checks from inside what was mounted, before the program begins. Bubblewrap resolves a path again, by its name, some
 * milliseconds after it was checked; in between, a program that is already running can replace a folder on the way by a
 * link. Then the sandbox would show, or make writable, what that link leads to.
 */
import { openSync, readFileSync } from 'node:fs';
import { shellQuote } from '../../core/text/quote-word.ts';
import { closing } from '../../process/files.ts';
import { isUnder } from './policy.ts';

export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly isWritable: boolean;
}

/**
 * How the kernel lists each of these binds inside: device, the path within it, the mount point. The path is the one
 * that was asked for, whatever its name leads to by now. Nothing in `safe` can be exchanged by a program.
 */
export function listedBinds(binds: readonly Bind[], safe: string): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
  const mounts = new Map(
    lines.map((line) => {
      const [id, , device = '', root = '', place = ''] = line.split(' ');
      return [id, { device, root, place }];
    }),
  );
  const open = binds.filter(({ source }) => !isUnder(source, safe));
  return open.map(({ source, target }) => {
    const path = escaped(source);
    const mount = mounts.get(mountOf(source));
    if (mount === undefined || !isUnder(path, mount.place)) throw new Error(`${source} leads elsewhere`);
    const [root, within] = [mount.root, mount.place === '/' ? path : path.slice(mount.place.length)];
    return `${mount.device} ${root === '/' ? within || root : root + within} ${escaped(target)}`;
  });
}

/** Refers to the path without opening it: it may be a pipe, a socket, or unreadable. */
const O_PATH = 0o10000000;

function mountOf(path: string): string | undefined {
  const info = closing(openSync(path, O_PATH), (fd) => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'));
  return /^mnt_id:\s*(\d+)$/m.exec(info)?.[1];
}

/** Escaped as in the kernel's list. */
function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** Lines for bash. Each line of the list counts once: a bind that is made twice must be there twice. */
export function checkingBinds(listed: readonly string[]): string[] {
  if (listed.length === 0) return [];
  return [
    `mounted() { local LC_ALL=C lines line words one; local -A there
  mapfile -t lines </proc/self/mountinfo
  set -f; for line in "\${lines[@]}"; do words=($line); there["\${words[2]} \${words[3]} \${words[4]}"]+=x; done; set +f
  for one; do
    [[ \${there["$one"]} ]] || { echo "ralph: the sandbox cannot be made: \${one##* } was exchanged meanwhile" >&2; exit 125; }
    there["$one"]=\${there["$one"]#x}
  done; }`,
    `mounted ${listed.map(shellQuote).join(' ')}`,
  ];
}
