import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { ask, said, scriptedModel } from '../../../test/support/scripted-model.ts';

function linesOf(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}

test('each request is a line in the file while it is being answered, and a second one when it is over', async () => {
  const recordTo = join(testFolder(), 'requests.jsonl');
  const model = await scriptedModel({ turns: [{ say: 'one' }, { fault: { stall: 'before' } }] }, { recordTo });
  await said(ask(model, 'anthropic', 'go'));
  const waiting = ask(model, 'openai-chat', 'go on').catch(() => undefined);
  while (model.requests().length < 2) await new Promise(setImmediate);
  const head = { number: 2, method: 'POST', path: '/v1/chat/completions', api: 'openai-chat' };
  expect(linesOf(recordTo)).toMatchObject([
    { number: 1, api: 'anthropic', answer: { kind: 'turn', index: 0 }, body: { model: 'm' } },
    { number: 1, ended: 'sent' },
    { ...head, answer: { kind: 'turn', index: 1 }, fault: { stall: 'before' } },
  ]);
  await model.close();
  await waiting;
  expect(linesOf(recordTo).at(-1)).toEqual({ number: 2, ended: 'cut' });
});

test('the file is for its owner only, also one that was there before, whose lines stay', async () => {
  const folder = testFolder();
  const [fresh, old] = [join(folder, 'fresh'), join(folder, 'old')];
  writeFileSync(old, '{"number":0}\n');
  chmodSync(old, 0o644);
  for (const recordTo of [fresh, old]) {
    const model = await scriptedModel({ turns: [] }, { recordTo });
    await said(ask(model, 'gemini', 'go'));
    await model.close();
    expect(statSync(recordTo).mode & 0o777).toBe(0o600);
  }
  expect(linesOf(old).map((line) => (line as { number: number }).number)).toEqual([0, 1, 1]);
});
