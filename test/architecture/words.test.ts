/** Names and sentences that were replaced by plainer ones do not come back. CONTRIBUTING.md says how we write. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The word that is used instead. */
const IN_CODE: Readonly<Record<string, string>> = {
  '\\b[Cc]rank\\b': 'loop machine',
  '\\bloopDoor\\b': 'loop kind',
  '\\bRunShelf\\b': 'RunArtifacts',
  '\\b(?:job-?[Dd]esk|[Dd]esk-?[Tt]erms)\\b': 'job broker',
  '\\b(?:put[Aa]side|PUT_ASIDE)\\b': 'quarantine',
  '\\b(?:tellLoop|[Tt]elling)\\b': 'sendCommand, messages',
  '\\bobeyed:': 'trustedConfig',
  '\\b(?:settle|settled)\\(': 'resolve, or what it waits for',
  '\\blike\\?:': 'inheritFrom',
  '\\b(?:WIRES|Wire)\\b': 'ApiEmulator',
  '\\bafterJudge\\b': 'afterVerdict',
  '\\b[Nn]arrator\\b': 'console',
  '\\bcountsLater\\b': 'deferFailureCount',
};

/** Say who does it: the loop, the agent, you. */
const IN_PROSE = [
  'somebody',
  'whoever',
  'nobody',
  'anew',
  'Go on with:',
  'nothing is told',
  'makes a failed iteration',
];

test.each(Object.entries(IN_CODE))('no %s in src/: it is called %s', (pattern) => {
  const found = sources().filter((path) => new RegExp(pattern).test(read(path)));
  expect(found).toEqual([]);
});

test.each(IN_PROSE)('"%s" is in no message, no document and no test', (words) => {
  const found = [...sources(), ...documents(), ...tests()].filter((path) =>
    new RegExp(`\\b${words}\\b`, 'i').test(read(path)),
  );
  expect(found).toEqual([]);
});

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const under = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));

function sources(): string[] {
  return under('src').filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
}

/** What real agents printed, in test/fixtures, is as it was. */
function tests(): string[] {
  const support = under('test').filter(
    (path) => /\.(?:ts|mjs|cjs|sh|pl)$/.test(path) && !path.startsWith('test/fixtures/'),
  );
  const ofSources = under('src').filter((path) => path.endsWith('.test.ts'));
  return [...support, ...ofSources].filter((path) => path !== 'test/architecture/words.test.ts');
}

function documents(): string[] {
  const here = readdirSync(root);
  return [...here, ...under('docs'), ...under('src')].filter((path) => path.endsWith('.md'));
}
