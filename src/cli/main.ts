/** The entry point of both programs: reads the command line, runs the command, shows its errors, ends the process. */
import { RalphError } from '../core/error.ts';

/** Answered by `quick.ts`, if the command line is plain. */
const QUICK = ['ls', 'status'];

export async function main(binary: 'ralph' | 'swarm'): Promise<void> {
  const words = process.argv.slice(2);
  const isQuick = binary === 'ralph' && QUICK.includes(words[0] ?? '') && (await answeredQuickly(words));
  if (!isQuick) await runWhole(binary, words);
  // What is still open (a watch, a timer) must not keep a finished program alive.
  process.exit();
}

/** Returns false if the whole program has to handle the command line. */
async function answeredQuickly(words: readonly string[]): Promise<boolean> {
  const { answerAtOnce, quickCommand } = await import('./quick.ts');
  const command = quickCommand(words);
  if (command === null) return false;
  try {
    process.exitCode = await answerAtOnce(command);
  } catch (error) {
    process.exitCode = await report(error, 'ralph');
    await flush(process.stderr);
  }
  return true;
}

async function runWhole(binary: 'ralph' | 'swarm', words: readonly string[]): Promise<void> {
  process.stdout.on('error', readerGone);
  process.stderr.on('error', readerGone);
  // Errors thrown in timers and watchers, outside of any await.
  process.once('uncaughtException', (error) => void reportAndExit(error, binary));
  try {
    await (await import('./program/parse.ts')).runProgram(binary, words);
  } catch (error) {
    const isBare = words.length === 0 && error instanceof RalphError && error.code === 'PROMPT';
    if (isBare) await (await import('./program/bare.ts')).showFirstSteps();
    process.exitCode = await report(error, binary);
  }
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
}

async function report(error: unknown, binary: string): Promise<number> {
  const { reportError } = await import('./program/report-error.ts');
  const { everyProgram } = await import('./program/programs.ts');
  return reportError(error, binary, everyProgram);
}

async function reportAndExit(error: unknown, binary: string): Promise<never> {
  process.exit(await report(error, binary));
}

function readerGone(): void {
  // A reader that has gone (`ralph run | head`) ends the output, not the work.
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
