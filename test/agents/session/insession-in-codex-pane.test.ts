/** The loop inside a session on Codex's own screen: a person trusts the hooks, types the command, and cancels the loop. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { ON_DISK, testFolder } from '../../support/folder.ts';
import { type RehearsedPane, rehearsedPane, typeText } from '../rehearsed-pane.ts';
import { installAgents } from '../scene.ts';
import { hostFiles, projectFiles } from './hosted-session.ts';

const CODEX = ['codex', '--dangerously-bypass-approvals-and-sandbox', '--no-alt-screen', '--no-daemon'];
const WITHIN = { timeout: 60_000, interval: 50 };

let programs: string[];

beforeAll(() => {
  programs = installAgents('codex');
}, 600_000);

test('hooks are trusted in the dialog; a loop is begun, sent back twice, and cancelled while the agent works', async () => {
  const folder = testFolder(ON_DISK);
  for (const [path, text] of Object.entries(projectFiles(hostFiles('codex')))) {
    mkdirSync(dirname(join(folder, 'project', path)), { recursive: true });
    writeFileSync(join(folder, 'project', path), text);
  }
  const script = {
    turns: [
      { match: 'Write the note', say: 'I write it.', run: 'echo hi > note.txt' },
      { say: 'Is that all?' },
      { match: 'You attempted to end the loop', say: 'It is <promise>nearly</promise> done.' },
      // Delayed so long that the test has time to cancel.
      { match: 'You attempted to end the loop', delayMs: 600_000, say: 'Never judged.' },
      { match: 'Hello', say: 'Hello, without a loop.' },
    ],
  };
  const setup = `cp -r ${folder}/project/. . && export XDG_STATE_HOME=${folder}/state`;
  const codex = await rehearsedPane(programs, script, CODEX, setup);

  await codex.until('asking');
  // A key pressed while the dialog is still being drawn is lost, so it is pressed again, but only after its effect
  // would have been seen: otherwise the selection would move on while the test looks.
  await vi.waitFor(async () => {
    await press(codex, 'Down');
    await sees(codex, '› 2. Trust all and continue', 10_000);
  }, WITHIN);
  await press(codex, 'Enter');
  await codex.until('ready');

  await type(codex, '/ralph-loop x');
  await sees(codex, "Unrecognized command '/ralph-loop'");
  await press(codex, 'C-e', 'C-u');

  await type(codex, ' /ralph-loop "Write the note" --max-iterations 5');
  await sees(codex, 'Ralph loop started: at most 5 iterations');
  await sees(codex, 'Ralph iteration 1/5: promise not found.');
  await sees(codex, 'Ralph iteration 2/5: promise not found.');
  await type(codex, ' /cancel-ralph');
  // Codex queues it; Esc interrupts the agent and sends it.
  await sees(codex, '↳ /cancel-ralph');
  await press(codex, 'Escape');
  await sees(codex, 'Cancelled Ralph loop (was at iteration 2)');
  await codex.until('ready');

  await type(codex, 'Hello');
  await sees(codex, 'Hello, without a loop.');
  await codex.until('ready');
  // The first Enter takes the skill from the list that has opened.
  await type(codex, '$ralph-status');
  await press(codex, 'Enter');
  await sees(codex, 'Ralph loop: CANCELLED, iteration 2 of at most 5');
  const loops = join(folder, 'state/ralph/loops');
  const log = readFileSync(join(loops, readdirSync(loops)[0] ?? '', 'loop.log'), 'utf8');
  expect(log).toMatch(/iteration 2: .*sent back\n.*cancelled/i);
});

async function type(codex: RehearsedPane, text: string): Promise<void> {
  await typeText(codex, text);
  await press(codex, 'Enter');
}

async function press({ pane }: RehearsedPane, ...keys: string[]): Promise<void> {
  for (const key of keys) await pane.press(key);
}

async function sees({ pane }: RehearsedPane, text: string, timeout = WITHIN.timeout): Promise<void> {
  const look = async () => expect((await pane.look()).screen).toContain(text);
  await vi.waitFor(look, { ...WITHIN, timeout });
}
