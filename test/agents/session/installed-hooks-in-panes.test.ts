/** The loop's commands as people type them, on the screens of the real Claude Code and the real opencode. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type RehearsedPane, rehearsedPane } from '../rehearsed-pane.ts';
import { installAgents } from '../scene.ts';

const LOOK_EVERY_MS = 50;

/** Sent back twice; the third time it thinks for so long that the test need not hurry. */
const SCRIPT = {
  turns: [{ say: 'One.' }, { say: 'Two.' }, { say: 'Three.', delayMs: 600_000 }],
  otherwise: { say: 'Too late.' },
};

const KEEP_STATE = 'export XDG_STATE_HOME=$FRESH/state';
const LIBRARY_IS_THERE = 'printf "{%%packages%%:{%%%%:{%%dependencies%%:{%%@opencode-ai/plugin%%:%%*%%}}}}" | tr % \\"';

const CASES = {
  'Claude Code after install-hooks': {
    setup: `${KEEP_STATE}; ralph install-hooks claude --project --yes >$FRESH/installed`,
    start: ['claude', '--dangerously-skip-permissions'],
    interrupts: true,
    answers: 'Cancelled Ralph loop (was at iteration 2)',
  },
  'opencode after install-hooks': {
    setup: `${KEEP_STATE}; ralph install-hooks opencode --yes >$FRESH/installed; mkdir .opencode/node_modules; ${LIBRARY_IS_THERE} >.opencode/package-lock.json`,
    start: ['env', 'OPENCODE_PURE=0', 'opencode'],
    // There a command is heard while the agent works.
    interrupts: false,
    // A toast, and there are starts of opencode in which its screen shows none at all, not even its own. That it is sent,
    // session-with-opencode.test.ts hears from the server.
    answers: null,
  },
} as const;

let programs: string[];

beforeAll(() => {
  programs = installAgents('claude', 'opencode');
}, 600_000);

test.each(Object.entries(CASES))(
  '%s: typed, sent back twice, cancelled',
  async (_, { setup, start, interrupts, answers }) => {
    const pane = await rehearsedPane(programs, SCRIPT, start, setup);
    await pane.until('ready');
    const task = 'Count to $(three) with `care` and "quotes"';
    await type(pane, `/ralph-loop --max-iterations 7 -- ${task}`);
    const pressing = setInterval(() => {
      pane.tmux('send-keys', 'Enter');
    }, PRESS_AGAIN_MS);
    onTestFinished(() => {
      clearInterval(pressing);
    });
    await logged(pane, 'iteration 2: promise not found; 0 tool calls so far; sent back');
    await pane.until('busy');
    const sent = pane.texts().filter((text) => text.includes('You attempted to end the loop'));
    expect(sent.length).toBeGreaterThan(0);
    for (const text of sent) expect(text).toContain(`Original task: ${task}`);
    if (interrupts) {
      pane.tmux('send-keys', 'Escape');
      await pane.until('ready');
    }
    // The blank closes the list of commands, which would take the Enter for itself.
    await type(pane, '/cancel-ralph ');
    await logged(pane, 'CANCELLED');
    if (answers !== null) await shown(pane, answers);
  },
);

/** Keys that a program has lost, because it was busy with its start, are typed again. */
async function type(pane: RehearsedPane, text: string): Promise<void> {
  for (;;) {
    pane.tmux('send-keys', '-l', '--', text);
    if (await isShown(pane, text, TYPE_AGAIN_MS)) break;
    pane.tmux('send-keys', 'C-u');
  }
  pane.tmux('send-keys', 'Enter');
}

const TYPE_AGAIN_MS = 5000;
/** A key that a busy program has lost is pressed again; on an empty line it does nothing. */
const PRESS_AGAIN_MS = 8000;
/** Before the test itself is given up, so that it ends with the screen. */
const GIVE_UP_MS = 100_000;

async function isShown({ pane }: RehearsedPane, text: string, patience: number): Promise<boolean> {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
    const { screen } = await pane.look();
    if (withoutBlanks(screen).includes(withoutBlanks(text))) return true;
  }
  return false;
}

async function shown(pane: RehearsedPane, text: string): Promise<void> {
  if (!(await isShown(pane, text, GIVE_UP_MS))) await giveUp(pane, text);
}

async function giveUp({ pane }: RehearsedPane, text: string): Promise<never> {
  throw new Error(`never "${text}"; the last screen:\n${(await pane.look()).screen}`);
}

/** A long line is broken, wherever the screen ends or a box does. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/[\s┃│]/g, '');
}

async function logged(pane: RehearsedPane, text: string): Promise<void> {
  const loops = join(pane.folder, 'state/ralph/loops');
  const logs = (): string[] =>
    existsSync(loops)
      ? readdirSync(loops)
          .map((id) => join(loops, id, 'loop.log'))
          .filter((path) => existsSync(path))
      : [];
  for (const end = Date.now() + GIVE_UP_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
    if (logs().some((path) => readFileSync(path, 'utf8').includes(text))) return;
  }
  await giveUp(pane, text);
}
