/** What is about one agent stands in its profile: elsewhere in src no code knows an agent by its name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/index.ts';
import { wordsOfCode } from './scan.ts';

const root = join(import.meta.dirname, '../..');
const NAMES = AGENTS.map(({ name }) => name);

/** Where such a word means something else than the agent. */
const OTHER_MEANINGS = [
  // Paths and keys that are dangerous to touch, whichever agent runs.
  'src/guard/',
  // What the plugin and its projects consist of, and a file of the plugin's that has such a name.
  'src/hooks/io/context-alerts.ts',
  'src/loops/stories/project.ts',
  'src/loops/stories/files/work-tree.ts',
  // An entity of XML.
  'src/checks/reports/junit.ts',
  'src/core/text/markup.ts',
  // Google's API, and the headers of OpenAI's.
  'src/rehearsal/api-emulators/',
  'src/rehearsal/server/plan.ts',
  // Names that the sandbox runtime gives to its sockets.
  'src/runners/os-sandbox.ts',
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
  // Words for people, other words, and variables and files that are known to all.
  [`say('Example: ralph session -- claude');`, []],
  [`// Claude Code waits for stdin\\nconst pipe = 'pipe'; const ample = '&amp;'; const area = Math.PI;`, []],
  [`const file = 'CLAUDE.md'; const variable = 'CODEX_HOME';`, []],
])('in %s the names of %j are found', (source, names) => {
  expect(found('src/a.ts', source)).toEqual(names);
});

test('a name with a hyphen is found as well', () => {
  const source = `const agent = 'zed-agent';`;
  expect(found('src/a.ts', source, ['zed-agent', 'zed-cli'])).toEqual(['zed-agent']);
});

function found(path: string, source: string, names = NAMES): string[] {
  const words = new Set(wordsOfCode(path, source));
  // Code is split at hyphens, too.
  return names.filter((name) => name.split('-').every((word) => words.has(word)));
}

function sources(): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('src/agents/'));
}
