/** What is about one agent stands in its profile: elsewhere in src no code knows an agent by its name, and no sentence by its title. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/index.ts';
import { proseOfCode, wordsOfCode } from './scan.ts';

const root = join(import.meta.dirname, '../..');
const NAMES = AGENTS.map(({ name }) => name);
/** As people read them; some agents are called by their command. */
const TITLES = AGENTS.flatMap(({ name, title }) => (title === name ? [] : title));

/** Where such a word means something else than the agent. */
const OTHER_MEANINGS = [
  // Paths and keys that are dangerous to touch, whichever agent runs.
  'src/guard/',
  // Hooks of the plugin, which one agent alone loads.
  'src/hooks/context-monitor.ts',
  'src/hooks/pre-tool-use.ts',
  'src/hooks/session-start.ts',
  'src/hooks/stories-stop.ts',
  'src/hooks/io/context-alerts.ts',
  'src/hooks/io/session-file.ts',
  // What the plugin and its projects consist of.
  'src/loops/stories/project.ts',
  'src/loops/stories/files/work-tree.ts',
  // An entity of XML.
  'src/checks/reports/junit.ts',
  'src/core/text/markup.ts',
  // Google's API, and the headers of OpenAI's.
  'src/rehearsal/api-emulators/',
  'src/rehearsal/server/plan.ts',
  // Names that the sandbox runtime gives to its sockets and its folder.
  'src/runners/os-sandbox.ts',
  'src/runners/sandbox/policy.ts',
  'src/runners/sandbox/runtime.ts',
  // Texts about what one agent alone has or does.
  'src/cli/loops/quota.ts',
  'src/cli/program/session-commands.ts',
  'src/cli/swarm/init.ts',
  'src/rehearsal/script/script.ts',
];

const NAMED = new Map(sources().map((path) => [path, found(path, readFileSync(join(root, path), 'utf8'))]));

test('an agent is known by its name in src/agents alone', () => {
  const elsewhere = [...NAMED].filter(([path]) => !OTHER_MEANINGS.some((entry) => path.startsWith(entry)));
  expect(elsewhere.filter(([, names]) => names.length > 0)).toEqual([]);
});

test.each(OTHER_MEANINGS)('%s is on a list because it has to be', (entry) => {
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
  // Variables of an agent's own.
  [`const variable = 'CODEX_HOME';`, ['codex']],
  [`const env = { CLAUDECODE: undefined };`, ['claude']],
  [`process.env.CLAUDE_PROJECT_DIR;`, ['claude']],
  [`say('Set PI_KEY first.');`, ['pi']],
  // What it is called, in a sentence.
  [`const fact = 'Docker runs Claude Code alone';`, ['Claude Code']],
  // Examples, other words, and files that are known to all.
  [`say('Example: ralph session -- claude');`, []],
  [`// Claude Code waits for stdin\\nconst pipe = 'pipe'; const ample = '&amp;'; const area = Math.PI;`, []],
  [`const file = 'CLAUDE.md'; const PIPES = 2; const AMPLE = true;`, []],
])('in %s the names of %j are found', (source, names) => {
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
  // Code is split at hyphens, too.
  const isNamed = (name: string): boolean => name.split('-').every((word) => words.has(word));
  return [
    ...names.filter((name) => isNamed(name) || all.some((word) => isVariableOf(name, word))),
    ...TITLES.filter((title) => prose.some((text) => new RegExp(`\\b${title}\\b`).test(text))),
  ];
}

/** `CODEX_HOME`, `CLAUDECODE`; a short name begins other words, too. */
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
