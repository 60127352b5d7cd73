/** Shell completions: bash runs its script; for zsh and fish, the text and, if they are installed, the syntax. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/scene.ts';

const RUN_OPTIONS = [
  '--prompt',
  '--prompt-file',
  '--maximum-iterations',
  '--completion-response',
  '--stream-agent-output',
  '--no-stream-agent-output',
  '--agent-timeout',
  '--dry-run',
  '--verbose',
  '--runner',
  '--help',
];

function ralph(...args: string[]): string {
  return execFileSync(process.execPath, [join(ROOT, 'bin/ralph.cjs'), ...args], { encoding: 'utf8' });
}

/** The commands that the help lists. */
function commandsOfHelp(): string[] {
  const [, list = ''] = /\n(Run a loop:[\s\S]*?)\nOptions:/.exec(ralph('--help')) ?? [];
  return [...list.matchAll(/^ {2}([\w-]+)/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** What bash offers after these words, in a folder with these files; the last word is the one being typed. */
function bashOffers(words: readonly string[], files: readonly string[] = []): string[] {
  const folder = testFolder();
  writeFileSync(join(folder, 'script'), ralph('completion', 'bash'));
  for (const file of files) writeFileSync(join(folder, file), '');
  const lines = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); $(complete -p ralph | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', lines, join(folder, 'script'), ...words];
  const { stdout, stderr } = spawnSync('bash', args, { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean).sort();
}

describe('bash', () => {
  test('completes the commands that the help lists', () => {
    const commands = commandsOfHelp();
    expect(commands).toEqual(
      expect.arrayContaining(['run', 'init', 'resume', 'session', 'install-hooks', 'rehearse', 'completion']),
    );
    expect(bashOffers(['ralph', ''])).toEqual(expect.arrayContaining([...commands, '--help', '--version']));
    const begun = bashOffers(['ralph', 're']);
    expect(begun).toEqual(expect.arrayContaining(['rehearse', 'resume', 'rewind']));
    expect(begun.filter((word) => !word.startsWith('re'))).toEqual([]);
    expect(bashOffers(['ralph', 'fl'])).toEqual([]);
  });

  test('completes the options of the command', () => {
    const offered = bashOffers(['ralph', 'run', '-']);
    expect(offered).toEqual(expect.arrayContaining([...RUN_OPTIONS, '-p', '-f', '-m', '-c', '-V']));
    const negated = bashOffers(['ralph', 'run', '--no']);
    expect(negated).toEqual(expect.arrayContaining(['--no-sandbox', '--no-stream-agent-output']));
    expect(negated.filter((word) => !word.startsWith('--no'))).toEqual([]);
    expect(bashOffers(['ralph', 'install-hooks', '--'])).toEqual([
      '--help',
      '--project',
      '--remove',
      '--user',
      '--yes',
    ]);
    expect(bashOffers(['ralph', 'resume', '--'])).toEqual(
      expect.arrayContaining(['--detach', '--help', '--json', '--maximum-iterations', '--quiet', '--verbose']),
    );
    const most = bashOffers(['ralph', 'run', '-p', 'text', '--max']);
    expect(most).toContain('--maximum-iterations');
    expect(most.filter((word) => !word.startsWith('--max'))).toEqual([]);
  });

  test('completes the commands of task, bus and stories, and their options', () => {
    expect(bashOffers(['ralph', 'task', ''])).toEqual(expect.arrayContaining(['gc', 'list', 'resume', 'run', 'stop']));
    expect(bashOffers(['ralph', 'bus', ''])).toEqual(['--help', 'discover', 'post', 'read']);
    expect(bashOffers(['ralph', 'stories', 'st'])).toEqual(expect.arrayContaining(['status']));
    expect(bashOffers(['ralph', 'task', 'run', '--max'])).toContain('--max-restarts');
    expect(bashOffers(['ralph', 'bus', 'read', '--f'])).toEqual(['--follow']);
  });

  test('completes file names, including ones with spaces', () => {
    expect(bashOffers(['ralph', 'run', '-f', 'pro'], ['prompt.md', 'other'])).toEqual(['prompt.md']);
    expect(bashOffers(['ralph', 'run', '-f', 'my'], ['my prompt.md'])).toEqual(['my prompt.md']);
  });
});

describe('zsh', () => {
  const script = ralph('completion', 'zsh');

  test('lists every command and every option of run with its description', () => {
    expect(script).toMatch(/^#compdef ralph\n/);
    for (const name of commandsOfHelp()) expect(script).toMatch(new RegExp(`^ {4}'${name}:[^']+'$`, 'm'));
    const [, options = ''] = /^ {4}"run "\*\) options=\((.*)\) ;;$/m.exec(script) ?? [];
    const named = [...options.matchAll(/'([^':]+):[^':]+'/g)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(RUN_OPTIONS));
  });

  test('is valid: quotes come in pairs, and zsh itself accepts it if installed', () => {
    const odd = script.split('\n').filter((line) => (line.match(/'/g) ?? []).length % 2 === 1);
    expect(odd).toEqual([]);
    expect(syntaxFaults('zsh', ['-n'], script)).toBe('');
  });
});

describe('fish', () => {
  const script = ralph('completion', 'fish');

  test('has a line for every command and every option of run', () => {
    for (const name of commandsOfHelp()) {
      expect(script).toMatch(new RegExp(`^complete -c ralph -n __fish_use_subcommand -f -a ${name} -d '[^']+'$`, 'm'));
    }
    for (const option of RUN_OPTIONS) {
      expect(script).toMatch(
        new RegExp(
          `^complete -c ralph -n '__fish_seen_subcommand_from run; and not [^']+' -l ${option.slice(2)}( -s \\w)? -d '[^']+'$`,
          'm',
        ),
      );
    }
    expect(script).toContain('-l maximum-iterations -s m ');
    expect(script).toMatch(/^complete -c ralph -n '__fish_seen_subcommand_from bus; and not [^']+' -f -a read -d '/m);
    expect(script).toContain(`-n '__fish_seen_subcommand_from bus; and __fish_seen_subcommand_from read' -l follow `);
  });

  test('is valid: it has only such lines, and fish itself accepts it if installed', () => {
    const lines = script.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    for (const line of lines) expect(line).toMatch(/^complete -c ralph (?:[^']|'[^']*')*$/);
    expect(syntaxFaults('fish', ['--no-execute'], script)).toBe('');
  });
});

test('bash accepts its own script', () => {
  expect(syntaxFaults('bash', ['-n'], ralph('completion', 'bash'))).toBe('');
  expect(syntaxFaults('bash', ['-n'], 'case x in')).not.toBe('');
});

test('another shell is refused with the list of supported ones', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin/ralph.cjs'), 'completion', 'csh'], {
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^error: <shell> must be bash, zsh or fish; did you mean zsh\?/);
  expect(status).toBe(2);
});

/** The syntax errors that the shell reports; empty if the shell is not installed. */
function syntaxFaults(shell: string, check: readonly string[], script: string): string {
  const path = join(testFolder(), 'script');
  writeFileSync(path, script);
  const { error, status, stderr } = spawnSync(shell, [...check, path], { encoding: 'utf8' });
  if (error !== undefined) return '';
  return status === 0 ? stderr : `exit ${status}: ${stderr}`;
}
