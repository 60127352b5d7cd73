/** Asks a person at a terminal, line by line. Ctrl-C and the end of the input both abort. */
import { createInterface } from 'node:readline';
import { RalphError } from '../../core/error.ts';

export class Aborted extends Error {}

export type Ask = ReturnType<typeof askAtTerminal>;

export function askAtTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
  const lines = createInterface({ input, output, terminal: true });
  /** Lines that arrived before their question, because several were pasted at once. */
  const early: string[] = [];
  let waiting: { resolve(answer: string): void; reject(reason: Aborted): void } | null = null;
  let isOver = false;

  lines.on('line', (line) => {
    if (waiting === null) early.push(line);
    else waiting.resolve(line.trim());
    waiting = null;
  });
  const over = (): void => {
    isOver = true;
    waiting?.reject(new Aborted());
    waiting = null;
  };
  lines.on('SIGINT', over);
  lines.on('close', over);
  return {
    /** Resolves with the trimmed answer. */
    question: (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const [answer] = early.splice(0, 1);
        if (answer !== undefined) {
          output.write(`${text}${answer}\n`);
          resolve(answer.trim());
        } else if (isOver) reject(new Aborted());
        else {
          waiting = { resolve, reject };
          lines.setPrompt(text);
          lines.prompt();
        }
      }),
    /** Ends the input: a pending question is rejected. */
    abort: (): void => lines.close(),
    close(): void {
      waiting = null;
      lines.close();
    },
  };
}

/** Asks for a yes. `hint`: what to do if there is no terminal. */
export async function confirm(question: string, hint: string): Promise<'yes' | 'no' | 'aborted'> {
  if (!process.stdin.isTTY)
    throw new RalphError('NOBODY_TO_ASK', 'there is no terminal to ask on; nothing was changed', { hint });
  const terminal = askAtTerminal(process.stdin, process.stdout);
  try {
    const answer = await terminal.question(question);
    return ['y', 'yes'].includes(answer.toLowerCase()) ? 'yes' : 'no';
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
    return 'aborted';
  } finally {
    terminal.close();
  }
}
