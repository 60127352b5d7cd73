import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { testFolder } from '../../test/support/folder.ts';
import { appendMessage, checkDraft } from './append.ts';
import { type Draft, formatEntry, type Message, stampAt } from './message.ts';
import { parseEntries, readMessages, readTail } from './read.ts';

const NASTY = [
  '---',
  '\\---',
  '\\\\---',
  '--- ',
  '---\t',
  '---\r',
  '--',
  '----',
  '',
  'msg_id: MSG-1',
  'type: FACT',
  'project_id: forged',
  'body_bytes: 0',
  '<!-- torn -->',
  '[2026-02-05 10:00:00] INFO: forged',
  '\r',
  '\u2028---',
  '\0',
  '\ud800',
  'ä€😀',
  ' ---',
];
const FORGED = '\n\n---\nmsg_id: MSG-9\nts: 1\nbody_bytes: 6\ntype: FACT\nproject_id: forged\n---\nforged\n\n---\n';

const bodies = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.constantFrom(...NASTY), { maxLength: 12 }).map((lines) => lines.join('\n')),
  fc.constantFrom('', '\n', '\n\n', FORGED, FORGED.slice(2), FORGED.replaceAll('\n', '\r\n'), '---\n---', '---'),
);
const text = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.constantFrom(...NASTY.filter((line) => line !== '')),
);
const meta = fc.dictionary(text, text, { maxKeys: 3 });
const drafts: fc.Arbitrary<Draft> = fc.record(
  {
    type: text,
    projectId: text,
    taskId: text,
    runId: text,
    issueId: text,
    parents: fc.array(fc.record({ msgId: text, kind: text, meta }, { requiredKeys: ['msgId'] }), { maxLength: 2 }),
    links: fc.array(fc.record({ url: text, label: text, kind: text }, { requiredKeys: ['url'] }), { maxLength: 2 }),
    meta,
    body: bodies,
  },
  { requiredKeys: ['type', 'projectId', 'body'] },
);

const wellFormed = (value: string): string => Buffer.from(value).toString();
const parse = (bytes: Buffer) => parseEntries({ bytes, isLast: true, linesBefore: () => 0 });

describe('whatever an author gives', () => {
  test('is read back as it was acknowledged, and nothing else is', { timeout: 60_000 }, async () => {
    const path = join(testFolder(), 'bus.md');
    await fc.assert(
      fc.asyncProperty(fc.array(drafts, { minLength: 1, maxLength: 5 }), async (given) => {
        writeFileSync(path, '');
        const written: Message[] = [];
        for (const draft of given) written.push(await appendMessage(path, draft));
        expect(written.map(({ body }) => body)).toEqual(given.map(({ body }) => wellFormed(body)));
        expect(readMessages(path)).toEqual({ messages: written, end: readFileSync(path).length });
        expect(readTail(path, 2).messages).toEqual(written.slice(-2));
      }),
      { numRuns: 300 },
    );
  });

  test('is a header that any YAML parser reads the same way', () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const { header } = formatEntry({ ...stampAt(0n, 1, 1), ...checkDraft(draft) });
        const yaml = parseYaml(header.toString()) as Record<string, unknown>;
        expect(yaml).toMatchObject({ type: wellFormed(draft.type), project_id: wellFormed(draft.projectId) });
        const keys = Object.keys(draft.meta ?? {}).map(wellFormed);
        expect(new Set(Object.keys(yaml.meta ?? {}))).toEqual(new Set(keys));
      }),
    );
  });

  test('of a megabyte, with dashes on every line, is read back', async () => {
    const path = join(testFolder(), 'bus.md');
    const body = '---\nmsg_id: MSG-1\n'.repeat(60_000);
    const first = await appendMessage(path, { type: 'FACT', projectId: 'p', body });
    const second = await appendMessage(path, { type: 'FACT', projectId: 'p', body: 'next' });
    expect(readMessages(path).messages).toEqual([first, second]);
    expect(first.body).toBe(body);
    expect(second.msgId).toMatch(/-0002$/);
  });
});

describe('an entry that was cut short', () => {
  const entry = ({ body = 'a\n---\nb', ...rest }: Partial<Message>): Buffer =>
    formatEntry({ ...stampAt(1n, 7, 1), type: 'FACT', projectId: 'project', body, ...rest }).whole;

  test.each([
    ['with a body', entry({})],
    ['without a body', entry({ body: '' })],
    ['with a body as long as what closes it off', entry({ body: 'x'.repeat(13) })],
    ['with a body of line ends', entry({ body: '\n\n\n' })],
    ['with a body that forges entries', entry({ body: FORGED })],
    ['with every key', entry({ taskId: 't', runId: '7', meta: { a: '---' }, links: [{ url: 'u' }] })],
  ])('%s is not seen, at whichever byte, and swallows neither neighbour', async (_what, whole) => {
    const path = join(testFolder(), 'bus.md');
    const before = entry({ body: 'before' });
    for (let cut = 0; cut <= whole.length; cut++) {
      writeFileSync(path, Buffer.concat([before, Buffer.from('\n'), whole.subarray(0, cut)]));
      const isWhole = cut === whole.length;
      const seen = readMessages(path).messages;
      expect(seen.map(({ body }) => body).slice(0, 1)).toEqual(['before']);
      expect(seen, `cut at ${cut}`).toHaveLength(isWhole ? 2 : 1);
      const next = await appendMessage(path, { type: 'INFO', projectId: 'p', body: 'next' });
      const after = readMessages(path).messages;
      expect(after.at(-1)).toEqual(next);
      // If only the final newline was missing, closing off the entry has made it whole.
      const between = isWhole || cut === whole.length - 1 ? parse(whole).messages : [];
      expect(after.slice(1, -1), `cut at ${cut}`).toEqual(between);
    }
  });

  test('by every prefix of the next writer, who was killed as well, still swallows nothing', async () => {
    const path = join(testFolder(), 'bus.md');
    const torn = entry({ body: 'x'.repeat(20) }).subarray(0, -8);
    writeFileSync(path, torn);
    await appendMessage(path, { type: 'INFO', projectId: 'p', body: 'second' });
    const second = readFileSync(path).subarray(torn.length);
    for (let cut = 0; cut < second.length; cut++) {
      writeFileSync(path, Buffer.concat([torn, second.subarray(0, cut)]));
      expect(readMessages(path).messages, `cut at ${cut}`).toEqual([]);
      const third = await appendMessage(path, { type: 'INFO', projectId: 'p', body: 'third' });
      const others = readMessages(path).messages.filter(({ msgId }) => msgId !== third.msgId);
      expect(readMessages(path).messages.at(-1)).toEqual(third);
      expect(others.map(({ body }) => body)).toEqual(cut === second.length - 1 ? ['second'] : []);
    }
  });
});
