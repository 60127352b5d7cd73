/** The eyes and hands on panes, with the real interactive agents: what they show is theirs, only the model is scripted. */
import { beforeAll, expect, test } from 'vitest';
import { submitPrompt } from '../../src/tmux/paste.ts';
import { waitUntilReady } from '../../src/tmux/ready-wait.ts';
import { installAgents } from '../agents/scene.ts';
import { awkwardPrompt } from '../support/awkward-prompt.ts';
import { rehearsedPane } from './rehearsed-pane.ts';

const READY_WITHIN = 60_000;
const PROMPT = awkwardPrompt(100 * 1024);
/** Slow enough that everybody sees the agent work. */
const SCRIPT = {
  turns: [{ match: '0451', delayMs: 3000, say: 'It was read.' }],
  otherwise: { say: 'Nothing more.' },
};

const COMMANDS = {
  claude: ['claude', '--dangerously-skip-permissions'],
  codex: ['codex', '--dangerously-bypass-approvals-and-sandbox'],
  gemini: ['gemini', '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'],
  opencode: ['opencode'],
} as const;
const NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const;

let programs: string[];

beforeAll(() => {
  programs = installAgents(...NAMES);
}, 600_000);

test.each(NAMES)('%s takes a prompt of 100 KB whole, works, and is idle again', async (name) => {
  const { control, pane, agent, until, texts, tmux } = await rehearsedPane(programs, SCRIPT, COMMANDS[name]);
  expect(await waitUntilReady({ control, pane, agent, timeout: READY_WITHIN, every: 50 })).toEqual({ is: 'ready' });
  expect(await submitPrompt({ control, pane, prompt: PROMPT, agent })).toMatchObject({ is: 'proved' });
  await until('busy');
  await until('ready');
  const asked = texts().filter((text) => text.includes('0451'));
  expect(asked.length).toBeGreaterThan(0);
  for (const text of asked) expect(text).toContain(PROMPT.trimEnd());
  expect(tmux('list-buffers')).toBe('');
});

const FRESH_CLAUDE = ['env', 'CLAUDE_CONFIG_DIR=$FRESH', 'claude', '--dangerously-skip-permissions'];
/** Everything but the question that is meant. */
const ONBOARDED = 'printf "{@hasCompletedOnboarding@:true,@theme@:@dark@}" | tr @ \\" >$FRESH/.claude.json';

test.each([
  ['claude', 'trust', FRESH_CLAUDE, ONBOARDED],
  ['codex', 'login', ['env', 'CODEX_HOME=$FRESH', 'codex'], ':'],
  ['gemini', 'login', ['env', 'GEMINI_CLI_HOME=$FRESH', 'GEMINI_API_KEY=', 'gemini'], ':'],
])(
  '%s with a fresh configuration: its %s dialog is named, and nothing is typed into it',
  async (_, kind, command, setup) => {
    const { control, pane, agent, until } = await rehearsedPane(programs, SCRIPT, command, setup);
    await until('asking');
    const dialogs: string[] = [];
    const wait = {
      control,
      pane,
      agent,
      timeout: 1000,
      every: 50,
      onDialog: (it: { kind: string }) => dialogs.push(it.kind),
    };
    expect(await waitUntilReady(wait)).toMatchObject({ is: 'timed-out', dialog: { kind } });
    expect(dialogs).toEqual([kind]);
    expect(await submitPrompt({ control, pane, prompt: 'x', agent })).toMatchObject({ is: 'asking', dialog: { kind } });
    await until('asking');
  },
);
