/** A fake git that waits until the test opens it, then does nothing: it keeps its caller waiting. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testFolder } from '../folder.ts';

export interface SlowGit {
  /** A PATH with the fake git first. */
  readonly path: string;
  isWaiting(): Promise<void>;
  open(): void;
}

export function slowGit(): SlowGit {
  const folder = testFolder();
  const [waits, gate] = [join(folder, 'waits'), join(folder, 'gate')];
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n: >'${waits}'\nuntil [ -e '${gate}' ]; do sleep 0.02; done\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return {
    path: `${folder}:${process.env.PATH}`,
    isWaiting: async () => {
      while (!existsSync(waits)) await sleep(10);
    },
    open: () => writeFileSync(gate, ''),
  };
}
