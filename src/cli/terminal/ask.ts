/** Asks a person at a terminal, line by line. Ctrl-C and the end of the input are the same answer: no more. */
import { createInterface } from 'node:readline';

export class Aborted extends Error {}

export type Ask = ReturnType<typeof askAtTerminal>;

export function askAtTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
  const lines = createInterface({ input, output, terminal: true });
  /** Lines that came before they were asked for: several were pasted at once. */
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
    /** The answer without the blanks around it. */
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
