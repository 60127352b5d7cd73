import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Aborted, type Ask, askAtTerminal } from './ask.ts';

const CTRL_C = '\u0003';
let keys: PassThrough;
let screen: PassThrough;
let ask: Ask;

beforeEach(() => {
  keys = new PassThrough();
  screen = new PassThrough();
  // With `terminal: true`, readline treats any pair of streams as a terminal.
  ask = askAtTerminal(keys, screen);
  onTestFinished(() => ask.close());
});

describe('a question', () => {
  test('is shown, and its answer comes without the blanks around it', async () => {
    const answer = ask.question('Name: ');
    keys.write('  Ada Lovelace \r');
    await expect(answer).resolves.toBe('Ada Lovelace');
    expect(String(screen.read())).toContain('Name: ');
  });

  test('can be answered with nothing', async () => {
    const answer = ask.question('Name [Ada]: ');
    keys.write('\r');
    await expect(answer).resolves.toBe('');
  });

  test('can follow another one, each with its own answer', async () => {
    for (const name of ['Ada', 'Grace']) {
      const answer = ask.question('Name: ');
      keys.write(`${name}\r`);
      await expect(answer).resolves.toBe(name);
    }
  });

  test('can have its answer corrected while it is typed', async () => {
    const answer = ask.question('Name: ');
    keys.write('Adb\u007fa\r');
    await expect(answer).resolves.toBe('Ada');
  });
});

describe('a question is aborted', () => {
  test('by Ctrl-C, whatever was typed before it', async () => {
    const answer = ask.question('Name: ');
    keys.write(`Ad${CTRL_C}`);
    await expect(answer).rejects.toBeInstanceOf(Aborted);
  });

  test('by the end of the input', async () => {
    const answer = ask.question('Name: ');
    keys.end();
    await expect(answer).rejects.toBeInstanceOf(Aborted);
  });

  test.each([
    ['Ctrl-C', () => keys.write(CTRL_C)],
    ['the end of the input', () => keys.end()],
  ])('like every further question, after %s', async (_what, stop) => {
    const first = ask.question('Name: ');
    stop();
    await expect(first).rejects.toBeInstanceOf(Aborted);
    await expect(ask.question('Age: ')).rejects.toBeInstanceOf(Aborted);
  });

  test('even if that came before the question', async () => {
    const answer = ask.question('Name: ');
    keys.write('Ada\r');
    await answer;
    keys.write(CTRL_C);
    await expect(ask.question('Age: ')).rejects.toBeInstanceOf(Aborted);
  });

  test('after the asking is over', async () => {
    ask.close();
    await expect(ask.question('Name: ')).rejects.toBeInstanceOf(Aborted);
  });
});
