/**
 * What a program in the sandbox has for a /proc. It shows the program's own processes and not those of the sandbox: the
 * runtime's seccomp helper, which has no filter itself, could be written through `/proc/<n>/mem` and made to open
 * sockets. And it shows the settings of the one kernel that all share, which root may write even in a user namespace:
 * the program for core dumps, for one, which runs outside.
 *
 * The seccomp helper mounts a /proc for its pid namespace. The kernel allows that only where some /proc has nothing mounted
 * over a part of it. For other users than root that is so, and nothing is left to do: they may neither write the settings
 * nor trace what has more rights. For root bubblewrap covers parts of the one that it makes. There the machine's is
 * shown as well; once the program's is made, it is covered, or the program could make one, too, and the settings in the
 * program's are made read-only (`Seal`).
 */
import { existsSync } from 'node:fs';
import { quoteWord } from '../../core/text/quote-word.ts';

export interface RootProc {
  /** The runtime's command line with the /proc that this needs. */
  within(wrapped: string): string;
  readonly seal: Seal;
}

/** What is left to lock from inside, when the seccomp helper is done. */
export interface Seal {
  /** Where the machine's /proc is shown; null where the program has no other. */
  readonly machine: string | null;
  readonly readOnly: readonly string[];
}

/** Where the kernel takes orders. */
const ORDERS = ['acpi', 'bus', 'fs', 'irq', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);

/** `sharesProc`: no other /proc can be made, as in most containers. `folder`: seen inside, and empty. */
export function rootProc(sharesProc: boolean, folder: string): RootProc {
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
