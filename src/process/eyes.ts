/** Keeps one watch per folder for a runner that follows one run after another, in one loop's folder or in several. */
import { type Following, openFollowing } from './follow.ts';

export interface Eyes {
  /** What to follow a run of this folder with, until `done` is called. */
  on(folder: string): { readonly following: Following; done(): void };
  close(): void;
}

export function openEyes(): Eyes {
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
      const entry = open.get(folder) ?? { following: openFollowing(folder), users: 0 };
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
