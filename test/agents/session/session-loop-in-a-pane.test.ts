/** The loop inside a session as a person sees it: Claude Code's own screen in a tmux pane. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { DONE } from '../../support/session/session-loop.ts';
import { type RehearsedPane, rehearsedPane, typeText } from '../rehearsed-pane.ts';
import { installAgents } from '../scene.ts';

const PLUGIN = resolve(import.meta.dirname, '../../../plugin');
const CLAUDE = ['claude', '--dangerously-skip-permissions', '--plugin-dir', PLUGIN];
const LOOK_EVERY_MS = 50;

let programs: string[];

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

test('a person starts a loop and sees it continue and end; a wrong command is refused with the usage', async () => {
  const work = { name: 'Bash', input: { command: 'echo work > made.txt', description: 'Work' } };
  const script = {
    turns: [{ say: 'I am done.' }, { tool: work }, { say: `Finished. ${DONE}` }],
    otherwise: { say: 'lost' },
  };
  const pane = await rehearsedPane(programs, script, CLAUDE);
  await pane.until('ready');
  await type(pane, '/ralph:ralph-loop "x" --max-iteration=3', 'there is no flag --max-iteration');
  await type(pane, '/ralph:ralph-status', 'No active Ralph loop found.');
  await type(pane, '/ralph:ralph-loop "Do $(it) `now`!" --max-iterations=5', 'PROMISE_ACCEPTED at iteration 1');
  const [first = ''] = pane.texts().filter((text) => text.includes('You are in a Ralph loop'));
  expect(first).toContain('The task:\nDo $(it) `now`!\n');
  expect(pane.texts().some((text) => text.includes('You attempted to end the loop'))).toBe(true);
  await type(pane, '/ralph:ralph-status', 'Ralph loop: PROMISE_ACCEPTED, iteration 1 of at most 5');
});

test('a person can cancel a loop that was interrupted', async () => {
  const script = {
    turns: [{ say: 'one' }, { match: 'Stop hook feedback', fault: { stall: 'before' as const } }],
    otherwise: { say: 'Free.' },
  };
  const pane = await rehearsedPane(programs, script, CLAUDE);
  await pane.until('ready');
  await type(pane, '/ralph:ralph-loop "Do it"', 'Ralph iteration 1/100');
  await pane.until('busy');
  await pane.pane.press('Escape');
  await pane.until('ready');
  await type(pane, '/ralph:cancel-ralph', 'Cancelled Ralph loop (was at iteration 1)');
  await type(pane, 'Hello', 'Free.');
  expect(
    pane
      .texts()
      .filter((text) => text.includes('Hello'))
      .at(-1),
  ).not.toContain('Ralph iteration 2');
});

test('a promise does not count if a person interrupts its check to add something', async () => {
  const work = { name: 'Bash', input: { command: 'echo work > made.txt', description: 'Work' } };
  const script = {
    turns: [
      { tool: work },
      { say: `Finished. ${DONE}` },
      { match: 'Also do that', say: 'Not done yet.' },
      { match: 'Stop hook feedback', say: `Now. ${DONE}` },
    ],
    otherwise: { say: 'lost' },
  };
  const pane = await rehearsedPane(programs, script, CLAUDE);
  await pane.until('ready');
  const began = join(pane.folder, 'began');
  const check = `test -e ${began} || { touch ${began}; sleep 300; }`;
  await pane.pane.type(`/ralph:ralph-loop "Do it" --check "${check}"`);
  await shows(pane, 'sleep 300; }"');
  await pane.pane.press('Enter');
  while (!existsSync(began)) await sleep(LOOK_EVERY_MS);
  await pane.pane.press('Escape');
  await pane.until('ready');
  await type(pane, 'Also do that', 'Ralph iteration 1/100: promise not found');
  await shows(pane, 'PROMISE_ACCEPTED at iteration 1');
  expect(pane.texts().some((text) => text.includes('you did not output the completion promise'))).toBe(true);
});

async function type(pane: RehearsedPane, text: string, until: string): Promise<void> {
  await typeText(pane, text);
  await pane.pane.press('Enter');
  await shows(pane, until);
}

/** Ignores all blanks, because screens wrap and indent lines. */
async function shows(pane: RehearsedPane, text: string): Promise<void> {
  const flat = (screen: string): string => screen.replaceAll(/\s+/g, '');
  const deadline = Date.now() + 60_000;
  for (;;) {
    const screen = await pane.pane.capture(100_000);
    if (flat(screen).includes(flat(text))) return;
    if (Date.now() > deadline) throw new Error(`never saw "${text}" in\n${screen}`);
    await sleep(LOOK_EVERY_MS);
  }
}
