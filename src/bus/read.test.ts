import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { testFolder } from '../../test/support/folder.ts';
import { appendMessage } from './append.ts';
import { readMessages, readTail } from './read.ts';

let bus: string;
const draft = { type: 'FACT', projectId: 'p', body: 'text' };
const bodies = (text: string): string[] => {
  writeFileSync(bus, text);
  const all = readMessages(bus).messages.map(({ body }) => body);
  expect(readTail(bus, 1000).messages.map(({ body }) => body)).toEqual(all);
  return all;
};
/** As the original writes it: no length, nothing escaped. */
const original = (body: string, more = '') =>
  `---\nmsg_id: MSG-20260223-191710-184887000-PID67946-0001\nts: 2026-02-23T19:17:10.184887Z\ntype: FACT\nproject_id: p\n${more}---\n${body}\n`;

beforeEach(() => {
  bus = join(testFolder(), 'bus.md');
});

describe('a read', () => {
  test('goes on where the last one ended, and after a message that is named', async () => {
    const first = await appendMessage(bus, draft);
    const { end } = readMessages(bus);
    const second = await appendMessage(bus, { ...draft, body: 'second' });
    expect(readMessages(bus, { from: end })).toEqual({ messages: [second], end: readFileSync(bus).length });
    expect(readMessages(bus, { after: first.msgId }).messages).toEqual([second]);
    expect(readMessages(bus, { after: second.msgId }).messages).toEqual([]);
    expect(readMessages(bus, { after: 'MSG-rotated-away' }).messages).toEqual([first, second]);
  });

  test('of some types has only those', async () => {
    for (const type of ['FACT', 'QUESTION', 'FACT']) await appendMessage(bus, { type, projectId: 'p', body: type });
    expect(readMessages(bus, { types: ['QUESTION', 'INFO'] }).messages.map(({ body }) => body)).toEqual(['QUESTION']);
    expect(readMessages(bus, { types: ['INFO'] })).toEqual({ messages: [], end: readMessages(bus).end });
  });

  test('ends before an entry that is still being written, and has it when it is whole', async () => {
    await appendMessage(bus, draft);
    const { end } = readMessages(bus);
    await appendMessage(bus, { ...draft, body: 'second\nline' });
    const bytes = readFileSync(bus);
    for (let size = end; size < bytes.length; size++) {
      writeFileSync(bus, bytes.subarray(0, size));
      const read = readMessages(bus, { from: end });
      expect(read.messages).toEqual([]);
      expect(readTail(bus, 5).messages).toHaveLength(1);
      appendFileSync(bus, bytes.subarray(size));
      expect(readMessages(bus, { from: read.end }).messages.map(({ body }) => body)).toEqual(['second\nline']);
    }
  });

  test('has everything of a bus of many chunks, with bodies longer than a chunk', async () => {
    const sizes = [10, 3_000_000, 500_000, 700_000, 0, 1_048_000, 1_048_576, 20];
    for (const size of sizes) await appendMessage(bus, { ...draft, body: 'a line\n'.repeat(size / 7) });
    expect(readMessages(bus).messages.map(({ body }) => body.length)).toEqual(
      sizes.map((size) => 7 * Math.floor(size / 7)),
    );
    expect(readTail(bus, 3).messages.map(({ body }) => body.length)).toEqual([1_047_998, 1_048_572, 14]);
    expect(readTail(bus, 3).end).toBe(readFileSync(bus).length);
    expect(readTail(bus, 0)).toEqual({ messages: [], end: readFileSync(bus).length });
  });

  test('of the tail from within a body that looks like a header does not take it for one', async () => {
    for (let index = 0; index < 500; index++) {
      const body = `msg_id: MSG-1\ntype: FACT\nproject_id: forged${'\nx: y'.repeat(index % 10)}`;
      await appendMessage(bus, { ...draft, body });
    }
    const { messages } = readMessages(bus);
    // One of these counts needs exactly one message more than the first look at the file's end contains.
    for (let count = 200; count < 400; count++) {
      expect(readTail(bus, count).messages).toEqual(messages.slice(-count));
    }
  });

  test('of a bus that is not there, or is a directory, says so', () => {
    expect(errorOf(() => readMessages(bus))).toMatchObject({
      code: 'BUS_MISSING',
      message: `cannot read message bus ${bus}: there is none`,
    });
    const folder = join(bus, '..');
    expect(errorOf(() => readTail(folder, 1)).message).toBe(`message bus ${folder} is not a file`);
  });
});

describe('what the original wrote', () => {
  test('is read, with all its keys', () => {
    const more = [
      'task_id: t',
      'run_id: 20260223-1917100000-1-1',
      'issue_id: "7"',
      'parents:',
      '    - msg_id: MSG-0',
      '      kind: reply',
      '      meta:',
      '        deep: 1',
      'links:',
      '    - url: https://example.org/?a=b',
      '      label: "a: b"',
      'meta:',
      '    kind: |-',
      '        two',
      '',
      '        lines',
      '',
    ].join('\n');
    writeFileSync(bus, original('body\n\nof it', more));
    expect(readMessages(bus).messages).toEqual([
      {
        msgId: 'MSG-20260223-191710-184887000-PID67946-0001',
        ts: '2026-02-23T19:17:10.184887Z',
        type: 'FACT',
        projectId: 'p',
        taskId: 't',
        runId: '20260223-1917100000-1-1',
        issueId: '7',
        parents: [{ msgId: 'MSG-0', kind: 'reply', meta: { deep: '1' } }],
        links: [{ url: 'https://example.org/?a=b', label: 'a: b' }],
        meta: { kind: 'two\n\nlines' },
        body: 'body\n\nof it',
      },
    ]);
  });

  test('is read with parents that are bare ids', () => {
    writeFileSync(bus, original('x', 'parents: [MSG-1, MSG-2]\n'));
    expect(readMessages(bus).messages[0]?.parents).toEqual([{ msgId: 'MSG-1' }, { msgId: 'MSG-2' }]);
  });

  test('is read with only what is required, in any order, with the line ends of Windows', () => {
    expect(bodies('---\r\nproject_id: p\r\ntype: X\r\n---\r\nbody\r\n')).toEqual(['body']);
  });

  test.each([
    ['a body with lines of dashes', [original('a\n---\nb\n---\nc'), original('d')], ['a\n---\nb\n---\nc', 'd']],
    ['a last entry without its line end', [original('a'), original('b').slice(0, -1)], ['a']],
    ['a last entry without the end of its header', [original('a'), original('b').slice(0, 60)], ['a']],
    ['bare YAML that is no message', ['---\ntitle: x\n---\n', original('a')], ['a']],
    ['too many lines of dashes', ['---\n---\n---\n', original('a')], ['a']],
    ['text before and between', ['# a bus\n\n', original('a')], ['a']],
  ])('is read with %s', (_what, parts, expected) => {
    expect(bodies(parts.join('\n'))).toEqual(expected);
  });

  test('and what we write can stand in one file, whichever comes first', async () => {
    writeFileSync(bus, original('a\n\\---'));
    await appendMessage(bus, { ...draft, body: '---\nb' });
    appendFileSync(bus, `\n${original('c')}`);
    await appendMessage(bus, { ...draft, body: 'd' });
    expect(readMessages(bus).messages.map(({ body }) => body)).toEqual(['a\n\\---', '---\nb', 'c', 'd']);
  });

  test('a header that refers to itself a thousand times is no message, and costs nothing', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `k${index + 1}: &k${index + 1} [*k${index}, *k${index}]\n`);
    expect(bodies(original('a', `k0: &k0 [x]\n${lines.join('')}`))).toEqual([]);
  });
});

describe('a line of the oldest form', () => {
  test('is a message named after its line, whether it is read from the beginning or from the end', async () => {
    const lines = Array.from(
      { length: 3000 },
      (_, index) => `[2026-02-05 10:00:00] INFO: line ${index + 1}, quite long\n`,
    );
    writeFileSync(bus, `# log\n${lines.join('')}`);
    await appendMessage(bus, { ...draft, body: '[2026-02-05 10:00:00] INFO: in a body' });
    appendFileSync(bus, '[2026-02-05 10:00:00] INFO: echoed\n[2026-02-05] INFO: not one\n');
    const { messages } = readMessages(bus);
    expect(messages).toHaveLength(3002);
    expect(messages[2999]).toEqual({
      msgId: 'LEGACY-LINE-3001',
      ts: '2026-02-05T10:00:00Z',
      type: 'INFO',
      projectId: '',
      body: 'line 3000, quite long',
    });
    expect(readTail(bus, 4).messages).toEqual(messages.slice(-4));
    const after = readMessages(bus, { after: 'LEGACY-LINE-3001' });
    expect(after.messages.map(({ body }) => body)).toEqual(['[2026-02-05 10:00:00] INFO: in a body', 'echoed']);
    await appendMessage(bus, draft);
    const tail = readTail(bus, 2).messages;
    expect(tail).toEqual(readMessages(bus).messages.slice(-2));
    expect(tail[0]?.msgId).toBe(
      `LEGACY-LINE-${
        readFileSync(bus, 'utf8')
          .split('\n')
          .findIndex((line) => line.includes('echoed')) + 1
      }`,
    );
  });
});

test('finds the last of a kind however many others stand behind them, and says where the bus ends', async () => {
  const path = join(testFolder(), 'TASK-MESSAGE-BUS.md');
  for (let n = 0; n < 250; n++) {
    await appendMessage(path, { type: n === 3 || n === 7 ? 'FACT' : 'INFO', projectId: 'p', body: String(n) });
  }
  const facts = (count: number): string[] =>
    readTail(path, count, ({ type }) => type === 'FACT').messages.map(({ body }) => body);
  expect(facts(1)).toEqual(['7']);
  expect(facts(2)).toEqual(['3', '7']);
  expect(facts(300)).toEqual(['3', '7']);
  expect(readTail(path, 2, ({ type }) => type === 'ERROR').messages).toEqual([]);
  expect(readTail(path, 1, () => true).end).toBe(readMessages(path).end);
});
