/** The loop's commands as people type them, on the screens of the real Claude Code and the real opencode. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type RehearsedPane, rehearsedPane } from '../rehearsed-pane.ts';
import { installAgents } from '../scene.ts';

const LOOK_EVERY_MS = 50;

/** The agent is sent back twice; its third answer takes so long that the test has time to act. */
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
    // opencode takes a command while the agent works.
    interrupts: false,
    // A toast, and sometimes opencode's screen shows no toasts at all, not even its own. session-with-opencode.test.ts
    // checks with the server that it is sent.
    answers: null,
  },
} as const;

let programs: string[];

beforeAll(() => {
  programs = installAgents('claude', 'opencode');
}, 600_000);

test.each(Object.entries(CASES))(
  '%s: a loop that was typed is sent back twice and can be cancelled',
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
    // The blank closes the list of commands, which would take the Enter.
    await type(pane, '/cancel-ralph ');
    await logged(pane, 'CANCELLED');
    if (answers !== null) await shown(pane, answers);
  },
);

/** Types again if the program was busy starting and lost the keys. */
async function type(pane: RehearsedPane, text: string): Promise<void> {
  for (;;) {
    pane.tmux('send-keys', '-l', '--', text);
    if (await isShown(pane, text, TYPE_AGAIN_MS)) break;
    pane.tmux('send-keys', 'C-u');
  }
  pane.tmux('send-keys', 'Enter');
}

const TYPE_AGAIN_MS = 5000;
/** Enter is pressed again in case a busy program lost it; on an empty line it does nothing. */
const PRESS_AGAIN_MS = 8000;
/** Sooner than the test's own timeout, so that the failure shows the screen. */
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

/** Screens and boxes break long lines. */
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
