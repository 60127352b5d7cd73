/** `ralph bus discover`: the nearest bus, in this folder or above it. */
import { resolve } from 'node:path';
import { discoverBus } from '../../bus/find-bus.ts';
import { RalphError } from '../../core/error.ts';
import type { Terminal } from '../task/terminal.ts';

export async function discoverCommand({ from }: { readonly from?: string }, terminal: Terminal): Promise<number> {
  const start = resolve(terminal.cwd, from ?? '.');
  const path = discoverBus(start);
  if (path === null) {
    throw new RalphError(
      'BUS_UNKNOWN',
      `no message bus file found from ${JSON.stringify(start)} (searched for ${NAMES})`,
      {
        hint: 'A bus begins with its first message: ralph bus post --project … --body …',
        exitCode: 1,
      },
    );
  }
  await terminal.show(path);
  return 0;
}

const NAMES = 'TASK-MESSAGE-BUS.md, PROJECT-MESSAGE-BUS.md, MESSAGE-BUS.md';
