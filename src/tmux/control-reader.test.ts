import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { controlReader, type Reply } from './control-reader.ts';

const WRITTEN = [
  '%begin 1 7 0',
  '%end 1 7 0',
  '%session-changed $0 one',
  '%begin 2 8 1',
  'first',
  '%end 2 7 1',
  '%begin 2 9 1',
  '',
  '%end 2 8 1',
  '%window-renamed @1 sh',
  '%begin 2 9 1',
  "can't find pane: %9",
  '%error 2 9 1',
  '%begin 2 10 1',
  '%end 2 10 1',
  '',
].join('\n');

test('only the numbers that a reply began with end it, however the text is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(WRITTEN.length)), (cuts) => {
      const { replies, notifications, push } = heard();
      const at = [0, ...cuts.sort((a, b) => a - b), WRITTEN.length];
      for (const [index, end] of at.entries()) push(WRITTEN.slice(at[index - 1] ?? 0, end));
      expect(replies).toEqual([
        { isOurs: false, isError: false, text: '' },
        { isOurs: true, isError: false, text: 'first\n%end 2 7 1\n%begin 2 9 1\n' },
        { isOurs: true, isError: true, text: "can't find pane: %9" },
        { isOurs: true, isError: false, text: '' },
      ]);
      expect(notifications).toEqual(['%session-changed $0 one', '%window-renamed @1 sh']);
    }),
  );
});

test('an end that nothing began says that the connection cannot be trusted', () => {
  const { push } = heard();
  expect(push('%begin 1 7 1\n%end 1 7 1\n')).toBe(true);
  expect(push('%end 1 7 1\n')).toBe(false);
});

function heard() {
  const replies: Reply[] = [];
  const notifications: string[] = [];
  const reader = controlReader({
    reply: (reply) => void replies.push(reply),
    notification: (line) => void notifications.push(line),
  });
  return { replies, notifications, push: (text: string) => reader.push(text) };
}
