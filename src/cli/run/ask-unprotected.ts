/** Asks whether an agent may work unattended without a sandbox. */
import { isatty } from 'node:tty';
import { EXIT_INTERRUPTED } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { wrap } from '../../core/text/wrap.ts';
import type { RunOptions } from '../../loops/run/loop.ts';
import { Aborted, askAtTerminal } from '../terminal/ask.ts';

/** Undefined if there is no terminal to ask at. Asks on stderr, because stdout belongs to the agent. */
export function askUnprotected(stop: AbortSignal): NonNullable<RunOptions['allow']> | undefined {
  // Before `process.stdin` is touched: if it is not a terminal, Node would load modules for its stream.
  if (!isatty(0) || !isatty(2)) return undefined;
  const { stdin, stderr } = process;
  return async ({ agent, flags, reason, hint }) => {
    const how = flags.length === 0 ? '' : ` (${flags.join(' ')})`;
    const means = `${agent} would work unattended${how} and could do whatever you can: change and delete your files, run any command, use the network.`;
    const lines = [`There is no sandbox here: ${reason}.`, means, hint].flatMap((line) => wrap(line, '', ''));
    stderr.write(`${lines.join('\n')}\n`);
    const ask = askAtTerminal(stdin, stderr);
    stop.addEventListener('abort', ask.abort);
    try {
      const answer = await ask.question('Start it without a sandbox? (y/N): ');
      return ['y', 'yes'].includes(answer.toLowerCase());
    } catch (error) {
      if (!(error instanceof Aborted)) throw error;
      throw new RalphError('NOT_STARTED', 'nothing was started', { exitCode: EXIT_INTERRUPTED });
    } finally {
      stop.removeEventListener('abort', ask.abort);
      ask.close();
    }
  };
}
