/** Everything about an agent is in its profile: outside src/agents, no code uses its name and no message its title. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/index.ts';
import { proseOfCode, wordsOfCode } from './scan.ts';

const root = join(import.meta.dirname, '../..');
const NAMES = AGENTS.map(({ name }) => name);
/** The names that people read. An agent whose title is its command is left out. */
const TITLES = AGENTS.flatMap(({ name, title }) => (title === name ? [] : title));

/** Where such a word is allowed, mostly because it does not mean the agent. */
const OTHER_MEANINGS = [
  // Paths and keys that are dangerous to touch, whichever agent runs.
  'src/guard/',
  // Hooks of the plugin, which only one agent loads.
  'src/hooks/context-monitor.ts',
  'src/hooks/pre-tool-use.ts',
  'src/hooks/session-start.ts',
  'src/hooks/stories-stop.ts',
  'src/hooks/io/context-alerts.ts',
  'src/hooks/io/session-file.ts',
  // Files of the plugin and of its projects.
  'src/loops/stories/project.ts',
  'src/loops/stories/files/work-tree.ts',
  // An XML entity.
  'src/checks/reports/junit.ts',
  'src/core/text/markup.ts',
  // Google's API, and the headers of OpenAI's.
  'src/rehearsal/api-emulators/',
  'src/rehearsal/server/plan.ts',
  // Names that the sandbox runtime gives its sockets and its folder.
  'src/runners/os-sandbox.ts',
  'src/runners/sandbox/policy.ts',
  'src/runners/sandbox/runtime.ts',
  // Texts about something that only one agent has or does.
  'src/cli/loops/quota.ts',
  'src/cli/program/session-commands.ts',
  'src/cli/swarm/init.ts',
  'src/rehearsal/script/script.ts',
];

const NAMED = new Map(sources().map((path) => [path, found(path, readFileSync(join(root, path), 'utf8'))]));

test('only src/agents knows agents by their names', () => {
  const elsewhere = [...NAMED].filter(([path]) => !OTHER_MEANINGS.some((entry) => path.startsWith(entry)));
  expect(elsewhere.filter(([, names]) => names.length > 0)).toEqual([]);
});

test.each(OTHER_MEANINGS)('%s still needs its place on the list', (entry) => {
  const names = [...NAMED].flatMap(([path, inFile]) => (path.startsWith(entry) ? inFile : []));
  expect(names, `take ${entry} off the list`).not.toEqual([]);
});

test.each<[string, string[]]>([
  [`const agent = 'pi';`, ['pi']],
  [`import { pi } from './pi.ts';`, ['pi']],
  [`const folder = '.amp/plugins';`, ['amp']],
  ['const file = `~/.codex/config.toml`;', ['codex']],
  [`const isClaude = (command: string) => command === agent;`, ['claude']],
  [`const banner = /opencode\\s+v\\d+/;`, ['opencode']],
  [`const names = { qwen: 1 };`, ['qwen']],
  // Environment variables of an agent.
  [`const variable = 'CODEX_HOME';`, ['codex']],
  [`const env = { CLAUDECODE: undefined };`, ['claude']],
  [`process.env.CLAUDE_PROJECT_DIR;`, ['claude']],
  [`say('Set PI_KEY first.');`, ['pi']],
  // A title in a sentence.
  [`const fact = 'Docker runs Claude Code alone';`, ['Claude Code']],
  // Examples, other words, and file names that several agents use.
  [`say('Example: ralph session -- claude');`, []],
  [`// Claude Code waits for stdin\\nconst pipe = 'pipe'; const ample = '&amp;'; const area = Math.PI;`, []],
  [`const file = 'CLAUDE.md'; const PIPES = 2; const AMPLE = true;`, []],
])('the scan of %s finds the names %j', (source, names) => {
  expect(found('src/a.ts', source)).toEqual(names);
});

test('a name with a hyphen is found as well', () => {
  const source = `const agent = 'zed-agent';`;
  expect(found('src/a.ts', source, ['zed-agent', 'zed-cli'])).toEqual(['zed-agent']);
});

function found(path: string, source: string, names = NAMES): string[] {
  const prose = proseOfCode(path, source);
  const words = new Set(wordsOfCode(path, source));
  const all = [...words, ...prose.flatMap((text) => text.split(/\W+/))];
  // The scanner also splits code at hyphens.
  const isNamed = (name: string): boolean => name.split('-').every((word) => words.has(word));
  return [
    ...names.filter((name) => isNamed(name) || all.some((word) => isVariableOf(name, word))),
    ...TITLES.filter((title) => prose.some((text) => new RegExp(`\\b${title}\\b`).test(text))),
  ];
}

/** `CODEX_HOME`, `CLAUDECODE`; a short name must be followed by `_`, as other words begin with it, too. */
function isVariableOf(name: string, word: string): boolean {
  const begin = name.toUpperCase().replaceAll('-', '_');
  if (!/^[A-Z\d_]+$/.test(word) || word === begin) return false;
  return word.startsWith(begin.length > 3 ? begin : `${begin}_`);
}

function sources(): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('src/agents/'));
}
