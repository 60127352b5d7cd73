import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { completionScript, type Shell } from './completion.ts';

function program(): Command {
  const ralph = new Command('ralph').version('1.0.0').helpCommand(false);
  ralph
    .command('run')
    .description("Run the agent's loop: again and again.")
    .option('-p, --prompt <text>', "what the agent is told: it's the task")
    .option('--dry-run', 'run nothing');
  ralph.command('resume').description('Go on.').option('-V, --verbose', 'say more');
  const task = ralph.command('task').description('Look after tasks.');
  task.command('run').description('Start it.').option('--root <dir>', 'the folder');
  task.command('stop').description('Stop it.').option('--force', 'at once');
  ralph.command('secret', { hidden: true }).description('For ourselves.');
  return ralph;
}

/** What a real bash offers for these words; the last one is being typed. */
function offered(words: readonly string[], cwd = '/'): string[] {
  const lines = `${completionScript(program(), 'bash')}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ralph; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', lines, 'bash', 'ralph', ...words];
  return execFileSync('bash', args, { cwd, encoding: 'utf8' }).split('\n').filter(Boolean).sort();
}

describe('bash offers', () => {
  test('the commands first', () => {
    expect(offered([''])).toEqual(['--help', '--version', 'resume', 'run', 'task']);
    expect(offered(['re'])).toEqual(['resume']);
  });

  test('the options of the command that is being typed, and of no other', () => {
    expect(offered(['run', '-'])).toEqual(['--dry-run', '--help', '--prompt', '-h', '-p']);
    expect(offered(['run', '--d'])).toEqual(['--dry-run']);
    expect(offered(['resume', '--'])).toEqual(['--help', '--verbose']);
    expect(offered(['unknown', '--'])).toEqual([]);
  });

  test('the commands of a command, and then their options', () => {
    expect(offered(['task', ''])).toEqual(['--help', 'run', 'stop']);
    expect(offered(['task', 's'])).toEqual(['stop']);
    expect(offered(['task', 'run', '--'])).toEqual(['--help', '--root']);
    expect(offered(['task', 'stop', '--f'])).toEqual(['--force']);
    expect(offered(['run', 'x', '--d'])).toEqual(['--dry-run']);
  });

  test('files if no option is being typed', () => {
    const cwd = testFolder();
    writeFileSync(join(cwd, 'prompt.md'), '');
    mkdirSync(join(cwd, 'prompts'));
    writeFileSync(join(cwd, 'other'), '');
    expect(offered(['run', '--prompt', 'pro'], cwd)).toEqual(['prompt.md', 'prompts']);
  });
});

test('the bash script registers itself for its program', () => {
  const lines = `${completionScript(program(), 'bash')}\ncomplete -p ralph`;
  expect(execFileSync('bash', ['--norc', '-c', lines], { encoding: 'utf8' })).toBe(
    'complete -o filenames -F _ralph ralph\n',
  );
});

describe.each<Shell>(['bash', 'zsh', 'fish'])('the script for %s', (shell) => {
  const script = completionScript(program(), shell);

  test('knows every visible command and option, and no hidden one', () => {
    for (const word of ['run', 'resume', 'prompt', 'dry-run', 'verbose', 'task', 'stop', 'force'])
      expect(script).toContain(word);
    expect(script).not.toContain('secret');
  });

  test('has as many quotes opened as closed, whatever a description says', () => {
    expect([...script.matchAll(/'/g)].length % 2).toBe(0);
    expect(script.endsWith('\n')).toBe(true);
  });
});

test('zsh gets a description after a colon, fish with its flag', () => {
  expect(completionScript(program(), 'zsh')).toContain("'run:Run the agent’s loop - again and again.'");
  expect(completionScript(program(), 'fish').split('\n')).toContain(
    "complete -c ralph -n '__fish_seen_subcommand_from run; and not __fish_seen_subcommand_from task' -l prompt -s p -d 'what the agent is told - it’s the task'",
  );
});
