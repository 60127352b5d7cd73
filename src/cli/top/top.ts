/** `ralph top`: the full screen of all loops, with this process's terminal, signals and commands. */
import { setFlagsFromString } from 'node:v8';
import { colorDepth } from '../../config/color.ts';
import { RalphError } from '../../core/error.ts';
import { runTop } from '../../tui/top.ts';
import type { LoopsContext } from '../loops/context.ts';
import { clockTime } from '../terminal/words.ts';
import { topCommands } from './commands.ts';
import { topSources } from './sources.ts';

export interface TopFlags {
  readonly all?: boolean;
}

const STOPPED_BY_SIGNAL = 130;

export async function topCommand({ all = false }: TopFlags, context: LoopsContext): Promise<number> {
  const { stdin, stdout } = process;
  const { environment, store, cwd } = context;
  if (!stdin.isTTY || !stdout.isTTY || environment.isDumbTerminal) {
    const hint = 'For a list, run: ralph ls. To follow one loop, run: ralph logs -f';
    throw new RalphError('TERMINAL', 'ralph top needs a terminal that it can draw on', { hint });
  }
  // Frames are garbage after a second, for which V8 would add up to 16 MB, three times over, on a screen open for days.
  setFlagsFromString('--semi-space-growth-factor=1');
  const ended = new AbortController();
  const commands = topCommands(context, ended.signal);
  const end = (signal: NodeJS.Signals): void => {
    // Ctrl-C or Ctrl-\ in a pager, or in a pane, is not for us.
    if (!FROM_KEYS.has(signal) || !commands.isAway()) ended.abort();
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    const drawing = { stdin, stdout, depth: colorDepth(environment.variables), mask: environment.mask };
    const sources = topSources(context);
    await runTop({ store, commands, sources, ...drawing, cwd, clock: clockTime, all, signal: ended.signal });
    return ended.signal.aborted ? STOPPED_BY_SIGNAL : 0;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

/** The signals with which people end programs and which would end Node.js. SIGUSR1 is not: it is for its debugger. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGALRM', 'SIGUSR2'] as const;
const FROM_KEYS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);
