/** Asks a person at a terminal, line by line. Ctrl-C and the end of the input are the same answer: no more. */
import { createInterface } from 'node:readline';

export class Aborted extends Error {}

export interface Ask {
  /** The answer without the blanks around it. */
  question(text: string): Promise<string>;
  close(): void;
}

export function askAtTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Ask {
  const lines = createInterface({ input, output, terminal: true });
  let abort: (reason: Aborted) => void = give;
  let isOver = false;
  const over = (): void => {
    isOver = true;
    abort(new Aborted());
  };
  lines.on('SIGINT', over);
  lines.on('close', over);
  return {
    question: (text) =>
      new Promise((resolve, reject) => {
        if (isOver) {
          reject(new Aborted());
          return;
        }
        abort = reject;
        lines.question(text, (answer) => resolve(answer.trim()));
      }),
    close() {
      abort = give;
      lines.close();
    },
  };
}

function give(): void {
  // Nobody is waiting for an answer.
}
