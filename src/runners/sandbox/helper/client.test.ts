import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { sandboxHelper } from './client.ts';

const ASKED = { refusals: '/tmp/refusals', writes: [], isOffline: false, onlyReads: false };
const ANSWER = { kind: 'program', name: 'p1', words: ['bwrap'] };

/** Answers its first questions as told, then no more. */
function helperSaying(...answers: readonly string[]) {
  const program = `
    const answers = ${JSON.stringify(answers)};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const answer = answers.shift();
      if (answer !== undefined) console.log(answer.replace('ID', JSON.parse(line).id));
    });`;
  const lost: string[] = [];
  const helper = sandboxHelper({
    argv: [process.execPath, '-e', program],
    env: process.env,
    cwd: testFolder(),
    lost: (sentence) => void lost.push(sentence),
  });
  onTestFinished(() => helper.close());
  return { helper, lost };
}

const answering = JSON.stringify({ id: 'ID', ...ANSWER }).replace('"ID"', 'ID');

test.each(['{"id":1,"ki', 'null', '{"kind":"seen"}'])(
  'a helper that sends %s is ended like one that was killed, and the next program gets a new one',
  async (damaged) => {
    const { helper, lost } = helperSaying(answering, damaged);
    expect(await helper.program(ASKED)).toEqual(ANSWER);
    expect(await helper.ended('p1')).toBe(false);
    expect(lost).toEqual([expect.stringContaining('its helper was ended (it sent a line that is not an answer)')]);
    expect(await helper.program(ASKED)).toEqual(ANSWER);
  },
);

test('one that sends such a line before any answer is not started again', async () => {
  const { helper, lost } = helperSaying('Warning: something is deprecated');
  expect(await helper.program(ASKED)).toBeNull();
  expect(lost).toEqual([expect.stringContaining('its helper does not start (it sent a line that is not an answer)')]);
});
