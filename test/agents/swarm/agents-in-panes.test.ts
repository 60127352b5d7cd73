/** How ralph reads panes and types into them, with the real interactive agents: only the model is scripted. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { parseDonePattern } from '../../../src/tmux/done-pattern/done-pattern.ts';
import { doneMatcher } from '../../../src/tmux/done-pattern/match.ts';
import { submitPrompt, waitUntilReady } from '../../../src/tmux/ready.ts';
import { awkwardPrompt } from '../../support/run/awkward-prompt.ts';
import { rehearsedPane } from '../rehearsed-pane.ts';
import { installAgents } from '../scene.ts';

const READY_WITHIN = 60_000;
const PROMPT = awkwardPrompt(100 * 1024);
/** Slow enough for the test to see the agent at work. */
const SCRIPT = {
  turns: [{ match: '0451', delayMs: 3000, say: 'It was read.' }],
  otherwise: { say: 'Nothing more.' },
};

const COMMANDS = {
  claude: ['claude', '--dangerously-skip-permissions'],
  codex: ['codex', '--dangerously-bypass-approvals-and-sandbox'],
  gemini: ['gemini', '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'],
  opencode: ['opencode'],
  copilot: ['copilot', '--allow-all'],
  qwen: ['qwen', '-y'],
  pi: ['pi'],
} as const;
const NAMES = ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'pi', 'qwen'] as const;
/** Qwen Code 0.15.10 accepts 100 KB as a paste, but did not react within 80 s after the Enter; 20 KB work. */
const NAMES_FOR_100_KB = NAMES.filter((name) => name !== 'qwen');

let programs: string[];

beforeAll(() => {
  programs = installAgents(...NAMES);
}, 600_000);

test.each(NAMES_FOR_100_KB)('%s takes a prompt of 100 KB whole, works, and is idle again', async (name) => {
  const { pane, agent, until, texts, tmux } = await rehearsedPane(programs, SCRIPT, COMMANDS[name]);
  expect(await waitUntilReady({ pane, agent, timeout: READY_WITHIN, every: 50 })).toEqual({ is: 'ready' });
  expect(await submitPrompt({ pane, prompt: PROMPT, agent })).toMatchObject({ is: 'proved' });
  await until('busy');
  await until('ready');
  const asked = texts()
    .map(withPastedFiles)
    .filter((text) => text.includes('0451'));
  expect(asked.length).toBeGreaterThan(0);
  for (const text of asked) expect(text).toContain(PROMPT.trimEnd());
  expect(tmux('list-buffers')).toBe('');
});

/** Copilot CLI puts a long paste into a file and tells its model the path. */
function withPastedFiles(text: string): string {
  return text.replaceAll(/<pasted_content file="([^"]+)"[^>]*>/g, (_, path: string) => readFileSync(path, 'utf8'));
}

const FRESH_CLAUDE = ['env', 'CLAUDE_CONFIG_DIR=$FRESH', 'claude', '--dangerously-skip-permissions'];
const SENTENCE = 'The whole plan is finished';
const TELLING_PROMPT = `Study the plan and pick a task.

- run \`npm test\` after changes
- when nothing is left to do, say "${SENTENCE}" and nothing else, 0451
- **commit** your work
`;

test.each(NAMES)('%s: the done pattern matches its answer, not its echo of the prompt', async (name) => {
  const script = { turns: [{ match: '0451', delayMs: 3000, say: `I did it.\n\n${SENTENCE}.` }] };
  const { pane, agent, until, folder, tmux } = await rehearsedPane(programs, script, COMMANDS[name]);
  await waitUntilReady({ pane, agent, timeout: READY_WITHIN, every: 50 });
  const log = join(folder, 'output');
  tmux('pipe-pane', `cat >>${log}`);
  const matcher = doneMatcher(parseDonePattern(`(?i)${SENTENCE}`), TELLING_PROMPT);
  const found = async () => ({
    log: matcher.push(readFileSync(log)),
    screen: matcher.look((await pane.look()).screen),
  });
  expect(await submitPrompt({ pane, prompt: TELLING_PROMPT, agent })).toMatchObject({ is: 'proved' });
  await until('busy');
  // Copilot CLI is busy before it shows what it was asked.
  await vi.waitFor(async () => expect((await pane.look()).screen).toContain(SENTENCE), { timeout: 10_000 });
  expect(await found()).toEqual({ log: false, screen: false });
  await until('ready');
  // Copilot CLI can look idle between two redraws, before it has answered.
  await vi.waitFor(async () => expect(await found()).toEqual({ log: true, screen: true }), { timeout: 10_000 });
});

/** Answers the other questions of a first start, so that only the tested one is asked. */
const ONBOARDED = 'printf "{@hasCompletedOnboarding@:true,@theme@:@dark@}" | tr @ \\" >$FRESH/.claude.json';

test.each([
  ['claude', 'trust', FRESH_CLAUDE, ONBOARDED],
  ['codex', 'login', ['env', 'CODEX_HOME=$FRESH', 'codex'], ':'],
  ['gemini', 'login', ['env', 'GEMINI_CLI_HOME=$FRESH', 'GEMINI_API_KEY=', 'gemini'], ':'],
])(
  '%s with a fresh configuration: its %s dialog is named, and nothing is typed into it',
  async (_, kind, command, setup) => {
    const { pane, agent, until } = await rehearsedPane(programs, SCRIPT, command, setup);
    await until('asking');
    const dialogs: string[] = [];
    const wait = {
      pane,
      agent,
      timeout: 1000,
      every: 50,
      onDialog: (it: { kind: string }) => dialogs.push(it.kind),
    };
    expect(await waitUntilReady(wait)).toMatchObject({ is: 'timed-out', dialog: { kind } });
    expect(dialogs).toEqual([kind]);
    expect(await submitPrompt({ pane, prompt: 'x', agent })).toMatchObject({ is: 'asking', dialog: { kind } });
    await until('asking');
  },
);
