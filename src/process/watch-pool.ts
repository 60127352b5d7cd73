/** Keeps one watch per folder for a runner that follows one run after another, in one loop's folder or in several. */
import { type Following, followBuffer, openFollowing } from './follow.ts';

export interface Eyes {
  /** What to follow a run of this folder with, until `done` is called. */
  on(folder: string): { readonly following: Following; done(): void };
  close(): void;
}

export function openEyes(): Eyes {
  // One for all: where each run has a folder of its own, a buffer each would be much to collect.
  const buffer = followBuffer();
  const open = new Map<string, { readonly following: Following; users: number }>();
  const closeUnused = (): void => {
    for (const [folder, { following, users }] of open) {
      // The last one is kept: the next run is probably of the same loop.
      if (users > 0 || open.size === 1) continue;
      following.watch.close();
      open.delete(folder);
    }
  };
  return {
    on(folder) {
      const entry = open.get(folder) ?? { following: openFollowing(folder, buffer), users: 0 };
      open.set(folder, entry);
      entry.users++;
      return {
        following: entry.following,
        done() {
          entry.users--;
          closeUnused();
        },
      };
    },
    close() {
      for (const { following } of open.values()) following.watch.close();
      open.clear();
    },
  };
}
