import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { quoteWord } from '../core/text/quote-word.ts';
import { describeCommand, environmentFinder, helpOf, outsideOfSessions } from './command.ts';
import { profileFor } from './index.ts';

describe('a command line', () => {
  test('is shown with what the adapter adds, and without the prompt', () => {
    expect(describeCommand({ command: 'claude', flags: ['--model', 'opus'], mode: 'stream' }, '/', {})).toBe(
      'claude -p --output-format stream-json --verbose --model opus',
    );
    expect(describeCommand({ command: '/opt/bin/claude', flags: [], mode: 'text' }, '/', {})).toBe(
      '/opt/bin/claude -p --output-format text',
    );
  });

  test('is shown with the words quoted that a shell would split', () => {
    const flags = ['--system', "don't stop", '', '$HOME', '*'];
    expect(describeCommand({ command: 'my agent', flags, mode: 'stream' }, '/', {})).toBe(
      String.raw`'my agent' --system 'don'\''t stop' '' '$HOME' '*'`,
    );
  });

  test('of an agent that reads its prompt says so', () => {
    const said = describeCommand({ command: 'gemini', flags: ['-q'], mode: 'text' }, '/', {});
    expect(said).toBe('gemini -o stream-json --approval-mode yolo -q <prompt');
  });
});

test('a program is asked for its flags once, and again after it was updated', () => {
  const folder = testFolder();
  const program = join(folder, 'codex');
  const install = (help: string): void => {
    writeFileSync(`${program}.new`, `#!/bin/sh\necho x >>'${folder}/asked'\necho ${help}\n`, { mode: 0o755 });
    renameSync(`${program}.new`, program);
  };
  const ask = () => helpOf(profileFor('codex'), program, { PATH: process.env.PATH });
  install('--old');
  expect([ask(), ask()]).toEqual(['--old\n', '--old\n']);
  install('--new');
  expect([ask(), ask()]).toEqual(['--new\n', '--new\n']);
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('x\nx\n');
});

test('an environment is looked up again when the agent or the environment is another', () => {
  const find = environmentFinder();
  const [claude, plain] = ['claude', 'my-agent'].map(profileFor);
  const [hidden] = claude?.notInherited ?? [];
  if (claude === undefined || plain === undefined || hidden === undefined) throw new Error('no such agents');
  const [first, second] = [{ A: '1', [hidden]: '2' }, { A: '3' }];
  expect(find(claude, first)).toEqual({ ...claude.environment, A: '1' });
  expect(find(claude, first)).toBe(find(claude, first));
  expect(find(plain, first)).toEqual({ ...plain.environment, A: '1', [hidden]: '2' });
  expect(find(plain, second)).toEqual({ ...plain.environment, A: '3' });
  expect(find(claude, { ...claude.environment, A: '4' }).A).toBe('4');
});

describe('a word', () => {
  test.each(['claude', '--model=opus', '/usr/bin/x', 'a@b', '50%', 'a:b,c.d', '1+1'])('stays as it is: %s', (word) => {
    expect(quoteWord(word)).toBe(word);
  });

  test('comes out of a real shell as it went in', () => {
    const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        const line = `printf '%s\\0' ${words.map(quoteWord).join(' ')}`;
        expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe(words.map((text) => `${text}\0`).join(''));
      }),
      { numRuns: 50 },
    );
  });
});

test('what is started from within a session gets nothing that is of that session', () => {
  const own = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'x', CLAUDE_CODE_MESSAGING_TOKEN: 'y' };
  const users = { PATH: '/bin', ANTHROPIC_API_KEY: 'key', CLAUDE_CONFIG_DIR: '/c', CLAUDE_CODE_USE_BEDROCK: '1' };
  expect(outsideOfSessions({ ...own, ...users })).toEqual(users);
});
