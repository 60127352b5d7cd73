/** What the keys of `ralph top` do: they call the commands of the same names, and return the lines that these print. */
import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { shellWords } from '../../config/settings.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import { quoteWords } from '../../core/text/quote-word.ts';
import { startInBackground } from '../../engine/start-in-background.ts';
import { printable } from '../../stream/printable.ts';
import type { Commands } from '../../tui/commands.ts';
import { paneOf } from '../loops/attach.ts';
import { foundLoop, type LoopsContext } from '../loops/context.ts';
import { resumeCommand } from '../loops/resume.ts';
import { haltCommand, tellCommand } from '../loops/steer.ts';
import { self } from '../program/self.ts';
import { inForeground } from './foreground.ts';

/** `signal`: ends the program that has the terminal. */
export function topCommands(base: LoopsContext, signal: AbortSignal): Commands & { isAway(): boolean } {
  let isAway = false;
  /** What the command would print. */
  const said = async (command: (context: LoopsContext) => Promise<unknown>): Promise<string[]> => {
    const lines: string[] = [];
    await command({ ...base, now: Date.now(), say: (line) => void lines.push(line) });
    // A command with a flag stays, because a key would not be enough.
    return lines.map((line) => line.replace(/^To continue, run: ralph resume \S+$/, 'Press r to resume it.'));
  };
  const away = async (use: () => Promise<void>): Promise<void> => {
    isAway = true;
    try {
      await use();
    } finally {
      isAway = false;
    }
  };
  return {
    isAway: () => isAway,
    halt: (command, id) => said((context) => haltCommand(command, id, {}, context)),
    say: (as, id, text) => said((context) => tellCommand(as, id, text, context)),
    async resume(id) {
      const { loop, short } = await foundLoop(base, { name: id });
      if (loop.ending === null && loop.supervisor !== null) {
        const program = { self: self(), here: import.meta.dirname };
        return said((context) => resumeCommand(id, {}, context, program));
      }
      const { root, variables: env, mask } = base.environment;
      const argv = [...self(), 'resume', id] as const;
      const started = await startInBackground({ root, argv, cwd: base.cwd, env });
      if (started.is === 'running') return [`Loop ${short} runs in the background (pid ${started.pid}).`];
      const words = printable(mask(started.said))
        .trim()
        .replace(/^error: /, '');
      if (started.code === 0) return [words];
      throw new RalphError('RESUME', words === '' ? `loop ${short} could not be resumed` : words);
    },
    async attach(id, inTerminal) {
      const found = await foundLoop(base, { name: id });
      const { words, isInside } = await paneOf(found, base);
      if (isInside) return [`You are inside tmux. In another terminal, run: ${quoteWords(words)}`];
      const [program = 'tmux', ...args] = words;
      const shown = { argv: [program, ...args], env: base.environment.variables, stdin: 'inherit', signal } as const;
      await inTerminal(() => away(() => inForeground(shown)));
      return [];
    },
    page: (lines) => away(() => showInPager(lines, base, signal)),
  };
}

async function showInPager(
  lines: AsyncIterable<string> | Iterable<string>,
  { environment }: LoopsContext,
  signal: AbortSignal,
): Promise<void> {
  const { variables } = environment;
  const [program = 'less', ...args] = shellWords(variables.PAGER ?? '');
  // Otherwise, `less` could quit before a log that fits on the screen has been seen.
  const stays = program.split('/').at(-1) === 'less' ? ['-+F'] : [];
  const shown = { argv: [program, ...args, ...stays], env: variables, stdin: 'pipe', signal } as const;
  const write = async ({ stdin }: ChildProcess): Promise<void> => {
    // A pager can quit before it has read everything.
    if (stdin !== null) await pipeline(Readable.from(lines), stdin).catch(() => undefined);
  };
  await inForeground(shown, write).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new RalphError('PAGER', `${program} is not installed`, { hint: 'Set PAGER to another program.' });
  });
}
