/** Asks a person at a terminal, line by line. Ctrl-C and the end of the input are the same answer: no more. */
import { createInterface } from 'node:readline';

export class Aborted extends Error {}

export interface Ask {
  /** The answer without the blanks around it. */
  question(text: string): Promise<string>;
  /** Ends the input: a pending question is rejected. */
  abort(): void;
  close(): void;
}

export function askAtTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Ask {
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
    question: (text) =>
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
    abort: () => lines.close(),
    close() {
      waiting = null;
      lines.close();
    },
  };
}
