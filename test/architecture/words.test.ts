/** Names and phrases that were replaced by plainer ones do not come back. CONTRIBUTING.md says how we write. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Patterns that may not be in src/, with the word to use instead. */
const IN_CODE: Readonly<Record<string, string>> = {
  '\\bJob-?[Ww]ish|\\bwish(?:es)?\\b': 'JobSpec, overrides',
  '\\b[Ee]yes\\b': 'watch pool',
  '\\bhearing\\b': 'withControl, run output reader',
  ': Hands\\b': 'Performers',
  '\\bsettled\\??:': 'resolved',
  '\\b[Ss]tand-?[Ii]ns?\\b': 'placeholder',
  'earlier-?[Pp]apers': 'previous logs',
  'last-?[Ll]ooks': 'last seen files',
  'outside-?[Ll]ook': 'read-only work tree',
  '\\btakeAnswer\\b': 'consumeAnswer',
  '\\b(?:code|tree)-?[Pp]rints?\\b': 'fingerprint',
  '\\bmarker-?[Ff]ile|MARKER_FILE': 'active file',
  '\\brung(?! twice)\\b': 'containment level',
  '\\b(?:loop|run)-?[Ll]ife\\b': 'liveness',
  '\\bsurroundings\\b': 'agent environment',
  '\\bas-?[Uu]sual\\b': 'default',
  '\\b[Cc]rank\\b': 'loop machine',
  '\\bloopDoor\\b': 'loop kind',
  '\\bRunShelf\\b': 'RunArtifacts',
  '\\b(?:job-?[Dd]esk|[Dd]esk-?[Tt]erms)\\b': 'job broker',
  '\\b(?:put[Aa]side|PUT_ASIDE)\\b': 'quarantine',
  '\\b(?:tellLoop|[Tt]elling)\\b': 'sendCommand, messages',
  '\\bobeyed:': 'trustedConfig',
  '\\b(?:settle|settled)\\(': 'resolve, or what it waits for',
  '\\blike\\?:': 'inheritFrom',
  '\\b(?:WIRE|[Ww]ire)(?:S|s|_?[A-Z]\\w*)?\\b': 'API, ApiEmulator',
  '\\bafterJudge\\b': 'afterVerdict',
  '\\b[Nn]arrator\\b': 'console',
  '\\bcountsLater\\b': 'deferFailureCount',
};

/** Exceptions: names that are part of a file format. */
const READ_FROM_DISK: Readonly<Record<string, readonly string[]>> = {
  'src/process/trace.ts': ['rung'],
  'src/runners/os-sandbox.ts': ['settled', 'standIns'],
};

/** Say who acts: the loop, the agent, you. */
const IN_PROSE = [
  'somebody',
  'whoever',
  'nobody',
  'anew',
  'Go on with:',
  'nothing is told',
  'makes a failed iteration',
  'put aside',
  'stand-in',
  'mend(?:s|ed|ing)?',
  'thereof',
  'besides',
];

test.each(Object.entries(IN_CODE))('no %s in src/: use %s', (pattern) => {
  const found = sources().filter((path) => {
    const onDisk = new RegExp(`\\b(?:${READ_FROM_DISK[path]?.join('|') ?? '(?!)'})\\b`, 'g');
    return new RegExp(pattern).test(read(path).replaceAll(onDisk, ''));
  });
  expect(found).toEqual([]);
});

test.each(IN_PROSE)('"%s" is in no message, no document and no test', (words) => {
  const found = [...sources(), ...documents(), ...tests(), ...tools(), ...plugin()].filter((path) =>
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

/** Without test/fixtures, which has the unchanged output of real agents. */
function tests(): string[] {
  const support = under('test').filter(
    (path) => /\.(?:ts|mjs|cjs|sh|pl)$/.test(path) && !path.startsWith('test/fixtures/'),
  );
  const ofSources = under('src').filter((path) => path.endsWith('.test.ts'));
  return [...support, ...ofSources].filter((path) => path !== 'test/architecture/words.test.ts');
}

function tools(): string[] {
  return ['bench', 'scripts', 'examples']
    .flatMap(under)
    .filter((path) => /\.(?:ts|mjs|cjs|sh|json|yaml|md)$/.test(path));
}

/** Without generated files. */
function plugin(): string[] {
  const own = under('plugin').filter((path) => /\.(?:sh|md|json)$/.test(path));
  return own.filter((path) => !/^plugin\/(?:cli|hooks\/built)\//.test(path));
}

function documents(): string[] {
  const here = readdirSync(root);
  return [...here, ...under('docs'), ...under('src')].filter((path) => path.endsWith('.md'));
}
