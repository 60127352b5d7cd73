/** The real Claude Code accepts the plugin, loads it and obeys its hooks. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Script } from '../../../src/rehearsal/script/script.ts';
import { APPROVED, SUBMITTED, story, tasksOf } from '../../support/stories/stories.ts';
import { type AgentScene, AWAIT_TRANSCRIPT, agentScene, installAgents } from '../scene.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Keeps Claude Code from contacting anything outside of this machine. */
const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
  DISABLE_AUTOUPDATER: '1',
};

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

afterEach(() => scene.remove());

test.each([
  ['plugin', 'the plugin'],
  ['.', 'the marketplace'],
])('`claude plugin validate --strict %s` passes', (path) => {
  scene = agentScene(programs, {});
  const env = { ...QUIET, PATH: process.env.PATH, HOME: scene.home };
  const said = execFileSync(programs[0] ?? '', ['plugin', 'validate', '--strict', join(ROOT, path)], {
    env,
    encoding: 'utf8',
  });
  expect(said).toContain('Validation passed');
});

test('an agent that leaves work uncommitted, then approves itself, is sent back until all is in order', async () => {
  const before = story('US-001');
  const snapshot = { 'US-001': { passes: false, reviewStatus: null, reviewCount: 0 } };
  scene = agentScene(programs, { 'ralph/tasks.json': JSON.stringify(tasksOf(before)) });
  scene.write(
    '.ralph-active',
    JSON.stringify({ iterationMode: 'implement', preIterationSnapshot: snapshot, reviewCap: 5 }),
  );
  const approvesItself = JSON.stringify(tasksOf(story('US-001', APPROVED)));
  const submits = JSON.stringify(tasksOf(story('US-001', SUBMITTED)));
  const { code, stderr } = await play({
    turns: [
      { match: 'Do the story', tool: bash('echo work > made.txt') },
      { say: 'I am done.' },
      { match: 'You have uncommitted changes. Before stopping, you must:', tool: bash(commit(approvesItself)) },
      { say: 'Now I am.' },
      { match: 'Story US-001 had illegal transition: passes false → true.', tool: bash(commit(submits)) },
      { say: 'Submitted.' },
    ],
  });
  expect(stderr).toContain('6 turns played, 0 left');
  expect(code).toBe(0);
  expect(scene.git('status', '--porcelain')).toBe('?? .ralph-active\n');
});

test.each([
  ['of 8, its own', 8, []],
  ['that the user gave it', 3, ['env', 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=3']],
])(
  'an agent that only says that it is done is sent back up to the limit %s; then the user sees a message',
  async (_how, cap, front) => {
    scene = agentScene(programs, { 'ralph/tasks.json': JSON.stringify(tasksOf(story('US-001'))) });
    scene.write('.ralph-active', JSON.stringify({ skipReview: true }));
    const insists = { match: 'You have uncommitted changes', say: 'I am done.' };
    const { code, stdout, stderr } = await play(
      {
        turns: [
          { match: 'Do the story', tool: bash('echo work > made.txt') },
          { say: 'I am done.' },
          ...Array.from({ length: cap - 1 }, () => insists),
          { match: `This is block ${cap} in a row without a tool call: Claude Code ends the turn`, say: 'I am done.' },
        ],
      },
      'Do the story.',
      front,
    );
    expect(stderr).toContain(`${cap + 2} turns played, 0 left`);
    expect(code).toBe(0);
    const told = `ralph: Claude Code overrides this block, number ${cap + 1} in a row without a tool call (its limit is ${cap})`;
    expect(stdout.split(told)).toHaveLength(2);
    expect(scene.git('status', '--porcelain')).toContain('?? made.txt');
  },
);

test('the agent is warned when its context fills up', async () => {
  scene = agentScene(programs, {}, { CLAUDE_CONTEXT_WINDOW: '100' });
  const { code, stderr } = await play({
    turns: [
      { match: 'Do the story', tool: bash(AWAIT_TRANSCRIPT) },
      {
        match: { anywhere: 'CRITICAL: Context window is at ~100% usage (crossed 90% threshold). Wrap up immediately.' },
        say: 'I stop.',
      },
    ],
  });
  expect(stderr).toContain('2 turns played, 0 left');
  expect(code).toBe(0);
});

test('the planning skill gives the model its rules, the user’s words and the real path of the templates', async () => {
  scene = agentScene(programs, { 'ralph/prd.md': '' });
  const templates = join(scene.folder, 'a plugin/templates/prd-template.md');
  const { code, stderr } = await play(
    {
      turns: [
        {
          match: { anywhere: 'What the user wants: a filter for orders' },
          tool: bash(`head -1 '${templates}'`),
        },
        { match: { lastUser: '# PRD:', anywhere: templates }, say: 'What do you want to filter by?' },
      ],
    },
    '/ralph:ralph-plan a filter for orders',
  );
  expect(stderr).toContain('2 turns played, 0 left');
  expect(code).toBe(0);
});

test('the commands of the plugin run their scripts for the project: init, then archive', async () => {
  scene = agentScene(programs, {});
  const script = (name: string) => join(scene.folder, 'a plugin/scripts', name);
  const asks = (name: string, args: string) => ({
    lastUser: `"${script(name)}" with the arguments`,
    anywhere: `The user's arguments: ${args}`,
  });
  const init = await play(
    {
      turns: [
        { match: asks('ralph-init.sh', '--name shop'), tool: bash(`'${script('ralph-init.sh')}' --name shop`) },
        { match: { lastUser: 'Initialized ralph/ in ' }, say: 'It is ready.' },
      ],
    },
    '/ralph:ralph-init --name shop',
  );
  expect(init.stderr).toContain('2 turns played, 0 left');
  expect(scene.read('ralph/tasks.json')).toContain('"branchName": "ralph/shop"');
  // An unchanged plan would not be archived.
  scene.write('ralph/prd.md', '# A shop\n');
  const archive = await play(
    {
      turns: [
        { match: asks('ralph-archive.sh', '--label shop'), tool: bash(`'${script('ralph-archive.sh')}' --label shop`) },
        { match: { lastUser: 'Archived 0/1 stories to ralph-archive/' }, say: 'It is filed away.' },
      ],
    },
    '/ralph:ralph-archive --label shop',
  );
  expect(archive.stderr).toContain('2 turns played, 0 left');
  expect(scene.git('log', '-1', '--format=%s')).toBe('archive(ralph): shop — 0/1 stories completed\n');
});

test('without node, the user sees one message and the session continues', async () => {
  scene = agentScene(programs, {});
  scene.write('.ralph-active', '{}');
  const bin = join(scene.folder, 'without-node');
  mkdirSync(bin);
  for (const tool of ['sh', 'bash', 'git', 'rm']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
  symlinkSync(programs[0] ?? '', join(bin, 'claude'));
  const { code, stdout, stderr } = await play({ turns: [{ match: 'Do the story', say: 'Done.' }] }, 'Do the story.', [
    'env',
    `PATH=${bin}`,
  ]);
  expect(stderr).toContain('1 turn played, 0 left');
  expect(code).toBe(0);
  expect(stdout.match(/says: ralph: node was not found/g)).toHaveLength(1);
});

test.each<[string, () => { front: string[]; more: string[] }]>([
  ['loaded by a second flag', () => ({ front: [], more: ['--plugin-dir', join(ROOT, 'plugin')] })],
  ['installed from the marketplace', () => ({ front: ['env', `CLAUDE_CONFIG_DIR=${installed()}`], more: [] })],
  [
    'loaded by a second flag, in a run of the harness',
    () => ({ front: ['env', 'RALPH_GUARD=on'], more: ['--plugin-dir', join(ROOT, 'plugin')] }),
  ],
  [
    'installed from the marketplace, in a run of the harness',
    () => ({ front: ['env', 'RALPH_GUARD=on', `CLAUDE_CONFIG_DIR=${installed()}`], more: [] }),
  ],
])('with two copies of the plugin, the second %s, the agent is sent back only once', async (_how, other) => {
  scene = agentScene(programs, { 'ralph/tasks.json': JSON.stringify(tasksOf(story('US-001'))) });
  scene.write('.ralph-active', JSON.stringify({ skipReview: true }));
  const { front, more } = other();
  const script = {
    turns: [
      { match: 'Do the story', tool: bash('echo work > made.txt') },
      { say: 'I am done.' },
      { match: 'You have uncommitted changes', tool: bash('git add made.txt && git commit -m work') },
      { say: 'Now I am.' },
    ],
  };
  const { code, stdout, stderr } = await play(script, 'Do the story.', front, more);
  expect(stderr).toContain('4 turns played, 0 left');
  expect(code).toBe(0);
  expect(stdout.match(/Stop hook feedback/g)).toHaveLength(1);
  expect(stdout.match(/"text":"[^"]*You have uncommitted changes/g)).toHaveLength(1);
});

/** A Claude Code configuration folder with this clone's plugin, installed the way users install it. */
function installed(): string {
  const folder = join(scene.folder, 'configuration');
  const env = { ...QUIET, PATH: process.env.PATH, HOME: scene.home, CLAUDE_CONFIG_DIR: folder };
  for (const args of [
    ['marketplace', 'add', ROOT],
    ['install', 'ralph@ralph-harness'],
  ])
    execFileSync(programs[0] ?? '', ['plugin', ...args], { env, stdio: 'ignore' });
  return folder;
}

/** Loads the plugin from a folder with a space in its name, as a user's path can have. */
async function play(script: Script, prompt = 'Do the story.', front: string[] = [], more: string[] = []) {
  const plugin = join(scene.folder, 'a plugin');
  cpSync(join(ROOT, 'plugin'), plugin, { recursive: true });
  const file = join(scene.folder, 'script.json');
  writeFileSync(file, JSON.stringify(script));
  const flags = ['--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'];
  const claude = ['claude', '-p', prompt, '--plugin-dir', plugin, ...more, ...flags];
  return scene.ralphRehearse(['--script', file, '--', ...front, ...claude]);
}

function bash(command: string) {
  return { name: 'Bash', input: { command, description: 'Work' } };
}

function commit(tasks: string): string {
  return `cat > ralph/tasks.json <<'END'\n${tasks}\nEND\ngit add ralph made.txt && git commit -m work`;
}
