import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { recordedScreen } from '../../test/support/recorded/screens.ts';
import { awkwardPrompt } from '../../test/support/run/awkward-prompt.ts';
import { type PaneServer, paneServer } from '../../test/support/terminal/panes.ts';
import { paneAgent } from '../agents/pane.ts';
import { submitPrompt, waitUntilReady } from './ready.ts';

const FAKE = resolve(import.meta.dirname, '../../test/fakes/boxed-agent.mjs');
const UNIT = 10;
const PATIENCE = { lookEvery: UNIT, reaction: 20 * UNIT };

test('a prompt of 100 KB with everything that a shell or tmux might read arrives whole, and the buffer is gone', async () => {
  const { server, pane, asked } = await boxedAgent();
  const prompt = awkwardPrompt(100 * 1024);
  expect(await submitPrompt({ pane, prompt, agent: claude(), patience: PATIENCE })).toEqual({
    is: 'proved',
    by: 'busy',
  });
  expect(asked()).toEqual([prompt.trimEnd()]);
  expect(server.tmux('list-buffers')).toBe('');
});

test('an Enter that was not heard is pressed again', async () => {
  const { pane, asked } = await boxedAgent('2');
  const submission = await submitPrompt({ pane, prompt: 'a\nb\nc\n', agent: claude(), patience: PATIENCE });
  expect(submission).toEqual({ is: 'proved', by: 'busy' });
  expect(asked()).toEqual(['a\nb\nc']);
});

test('but not for ever', async () => {
  const { pane, asked } = await boxedAgent('99');
  const patience = { ...PATIENCE, reaction: 5 * UNIT, enters: 3 };
  expect(await submitPrompt({ pane, prompt: 'a', agent: claude(), patience })).toEqual({ is: 'unproved' });
  expect(asked()).toEqual([]);
});

test('an agent that answers faster than anybody looks is proved by its empty input line', async () => {
  const { pane, asked } = await boxedAgent('0', '0');
  expect(await submitPrompt({ pane, prompt: 'quick', agent: claude(), patience: PATIENCE })).toEqual({
    is: 'proved',
    by: 'emptied',
  });
  expect(asked()).toEqual(['quick']);
});

test('a prompt that holds the end of a paste cannot leave it', async () => {
  const { pane, asked } = await boxedAgent();
  const prompt = 'one\u001b[201~\rtwo\r\nthree';
  await submitPrompt({ pane, prompt, agent: claude(), patience: PATIENCE });
  expect(asked()).toEqual(['one\ntwo\nthree']);
});

test('an agent that has not asked for marked pastes yet gets a marked one all the same', async () => {
  const server = paneServer();
  const file = join(server.folder, 'keys');
  const pane = server.at(server.pane('one', 'sh', '-c', `stty raw -echo; echo; exec cat >${file}`));
  while (!existsSync(file)) await sleep(UNIT);
  const patience = { ...PATIENCE, shown: 0, reaction: 0 };
  await submitPrompt({ pane, prompt: 'a !\nb', agent: claude(), patience });
  while (!readFileSync(file, 'utf8').includes('~\r')) await sleep(UNIT);
  expect(readFileSync(file, 'utf8')).toBe('\u001b[200~a !\rb\u001b[201~\r');
});

test('a user who scrolls in the pane does not catch the Enter', async () => {
  const { server, pane, asked } = await boxedAgent();
  server.tmux('copy-mode');
  await submitPrompt({ pane, prompt: 'hello', agent: claude(), patience: PATIENCE });
  expect(asked()).toEqual(['hello']);
});

test('a dialog is not answered', async () => {
  const server = paneServer({ columns: 130, rows: 40 });
  const { screen } = recordedScreen('claude', 'bypass');
  const file = join(server.folder, 'keys');
  const pane = server.at(
    server.pane('one', 'sh', '-c', `stty raw -echo; printf '%s' "$0" | sed 's/$/\\r/'; exec cat >${file}`, screen),
  );
  const dialogs: string[] = [];
  const ready = await waitUntilReady({
    pane,
    agent: claude(),
    timeout: 30 * UNIT,
    every: UNIT,
    onDialog: ({ kind }) => dialogs.push(kind),
  });
  expect(ready).toMatchObject({ is: 'timed-out', dialog: { kind: 'bypass' } });
  expect(dialogs).toEqual(['bypass']);
  expect(await submitPrompt({ pane, prompt: 'x', agent: claude(), patience: PATIENCE })).toMatchObject({
    is: 'asking',
  });
  await pane.press('z');
  while (readFileSync(file, 'utf8') === '') await sleep(UNIT);
  expect(readFileSync(file, 'utf8')).toBe('z');
});

test('a command that is no agent gets the prompt as typed lines', async () => {
  const server = paneServer();
  const file = join(server.folder, 'lines');
  const pane = server.at(server.pane('one', 'sh', '-c', `cat >${file}`));
  expect(await submitPrompt({ pane, prompt: 'one\n"two" $(x)\n', agent: paneAgent(['cat']) })).toEqual({
    is: 'sent',
  });
  const read = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  while (!read().includes('two')) await sleep(UNIT);
  expect(read()).toBe('one\n"two" $(x)\n');
});

test('a pane that is gone is reported, and leaves no buffer', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  await expect(submitPrompt({ pane: server.at('%77'), prompt: 'x', agent: paneAgent(['cat']) })).rejects.toThrow(
    "can't find pane",
  );
  expect(server.tmux('list-buffers')).toBe('');
});

function claude() {
  return paneAgent(['claude']);
}

async function boxedAgent(...args: string[]) {
  const server: PaneServer = paneServer();
  const file = join(server.folder, 'asked');
  const pane = server.at(server.pane('one', process.execPath, FAKE, file, ...args));
  const ready = await waitUntilReady({ pane, agent: claude(), timeout: 20_000, every: UNIT });
  expect(ready).toEqual({ is: 'ready' });
  const asked = (): unknown[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line): unknown => JSON.parse(line))
      : [];
  return { server, pane, asked };
}
