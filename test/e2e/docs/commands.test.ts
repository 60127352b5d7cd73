/** The documentation names only existing commands and flags, and mentions every command. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Declared, declaredBy } from '../../support/docs/declared.ts';
import { bareFlagsIn, type Named, namedIn } from '../../support/docs/named.ts';
import { PAGES, readPage } from '../../support/docs/pages.ts';
import { ROOT } from '../../support/scene.ts';

let declared: Declared = new Map();
let known = new Set<string>();

beforeAll(async () => {
  const [ralph, swarm] = await Promise.all([declaredBy('ralph'), declaredBy('swarm')]);
  declared = new Map([...ralph, ...swarm]);
  known = new Set([...[...declared.values()].flatMap((flags) => [...flags]), ...flagsOfAgents()]);
});

describe.each(PAGES)('%s', (page) => {
  test('names only commands and flags that exist', () => {
    expect(namedIn(readPage(page)).flatMap(problemsOf)).toEqual([]);
  });

  test('names only flags that a command of ralph or an agent has', () => {
    expect(bareFlagsIn(readPage(page)).filter((flag) => !known.has(flag))).toEqual([]);
  });
});

test('every command is mentioned on a page', () => {
  const named = PAGES.flatMap((page) => namedIn(readPage(page))).map((one) => commandOf(one).command);
  const groups = [...declared.keys()].filter((one) =>
    [...declared.keys()].some((other) => other.startsWith(`${one} `)),
  );
  const missing = [...declared.keys()].filter((command) => !named.includes(command) && !groups.includes(command));
  expect(missing).toEqual([]);
});

/** The longest prefix that is a command, and the words after it. */
function commandOf({ binary, words }: Named): { command: string; rest: readonly string[] } {
  const length = words.findIndex((_, index) => !declared.has([binary, ...words.slice(0, index + 1)].join(' ')));
  const count = length === -1 ? words.length : length;
  return { command: [binary, ...words.slice(0, count)].join(' '), rest: words.slice(count) };
}

function problemsOf(named: Named): string[] {
  const { command, rest } = commandOf(named);
  const flags = declared.get(command) ?? new Set();
  const isGroup = [...declared.keys()].some((other) => other.startsWith(`${command} `));
  const [next = ''] = rest;
  if (isGroup && /^[a-z][a-z-]+$/.test(next) && next !== 'help')
    return [`${named.text}: there is no ${command} ${next}`];
  const unknown = rest
    .flatMap((word) => /^--?[a-zA-Z][\w-]*/.exec(word) ?? [])
    .filter((flag) => !flags.has(flag) && !flags.has(`--no-${flag.slice(2)}`));
  return unknown.map((flag) => `${named.text}: ${command} has no ${flag}`);
}

/** `ralph session` refuses these; its code names them without dashes. */
const OF_CLAUDE_CODE = ['--continue', '--fork-session'];

/** The flags in the code that starts agents, and in that of their sessions. */
function flagsOfAgents(): string[] {
  const folders = ['src/agents', 'src/loops/session'].map((folder) => join(ROOT, folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const inCode = files.flatMap((text) => [...text.matchAll(/--[a-z][\w-]*/g)].map(([flag]) => flag));
  return [...inCode, ...OF_CLAUDE_CODE];
}
