/** `ralph session`: starts Claude Code with a loop inside its session, which its Stop hook turns. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { readEnvironment } from '../config/environment.ts';
import { EXIT_CODES } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { maskFor } from '../core/mask.ts';
import { isOver } from '../core/state.ts';
import { beginSessionLoop, readSessionLoop } from '../doors/insession/loop.ts';
import { findProgram } from '../process/which.ts';

export interface SessionFlags {
  readonly prompt: string;
  readonly maxIterations: number;
  readonly completionPromise: string;
}

export async function sessionCommand(
  flags: SessionFlags,
  command: readonly string[],
  release: string,
): Promise<number> {
  const { variables, root } = readEnvironment();
  const cwd = process.cwd();
  const [name = 'claude', ...args] = command;
  const program = findProgram(name, variables.PATH, cwd);
  if (program === null) {
    throw new RalphError('NO_AGENT', `cannot find ${name}`, {
      hint: 'Install Claude Code, or give its path after --',
      exitCode: 2,
    });
  }
  const session = randomUUID();
  const request = { prompt: flags.prompt, maximumIterations: flags.maxIterations, promise: flags.completionPromise };
  beginSessionLoop(session, request, cwd, release, Date.now(), { root, mask: maskFor(variables) });

  const hook = { type: 'command', command: process.execPath, args: [join(import.meta.dirname, '../hooks/stop.cjs')] };
  const settings = JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } });
  const child = spawn(program, [...args, '--session-id', session, '--settings', settings, flags.prompt], {
    stdio: 'inherit',
    // Claude Code overrides a hook that has refused to let it stop so many times in a row.
    env: { ...variables, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: String(flags.maxIterations + 1) },
  });
  process.on('SIGINT', stay);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGINT', stay);

  const state = readSessionLoop(session, root);
  if (isOver(state)) {
    const { ending } = state.phase;
    process.stderr.write(
      ending.kind === 'done' ? `Promise kept after ${state.iteration} iterations\n` : 'Maximum iterations reached.\n',
    );
    return EXIT_CODES[ending.kind];
  }
  process.stderr.write(`The session ended in iteration ${state.iteration}, before the loop did.\n`);
  return code === null || code === 0 ? EXIT_CODES['kept-failing'] : code;
}

function stay(): void {
  // The terminal sends its signals to the whole group: the session decides, and we stay to tell how it ended.
}
