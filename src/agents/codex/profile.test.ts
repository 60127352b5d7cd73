import { describe, expect, test } from 'vitest';
import { codex } from './profile.ts';

const CALL = {
  command: 'codex',
  flags: [] as string[],
  mode: 'stream',
  prompt: '-1 is wrong',
  help: 'Usage: codex exec [OPTIONS]\n  -s, --sandbox <MODE>',
  answerFile: '/runs/1.answer',
} as const;
const OLD = { ...CALL, help: 'Usage: codex exec\n      --full-auto   Low-friction sandboxed automatic execution' };

describe('the command line', () => {
  test('asks for JSON lines and lets it work in its folder; the prompt goes in by stdin, whatever it holds', () => {
    expect(codex.commandLine(CALL)).toEqual({
      argv: ['codex', 'e', '--json', '-s', 'workspace-write', '--skip-git-repo-check', '-'],
      promptOnStdin: true,
    });
  });

  test("of a release that takes it has the seed's --full-auto", () => {
    expect(codex.commandLine(OLD).argv).toEqual(['codex', 'e', '--json', '--full-auto', '-']);
  });

  test('in a sandbox of ours asks for none of its own, unless the user does', () => {
    const free = '--dangerously-bypass-approvals-and-sandbox';
    expect(codex.commandLine({ ...CALL, isEnclosed: true }).argv).toEqual([
      'codex',
      'e',
      '--json',
      free,
      '--skip-git-repo-check',
      '-',
    ]);
    expect(codex.commandLine({ ...OLD, isEnclosed: true }).argv).toEqual(['codex', 'e', '--json', free, '-']);
    expect(codex.commandLine({ ...CALL, isEnclosed: true, flags: ['-s', 'read-only'] }).argv).not.toContain(free);
  });

  test('of one that cannot be asked is that of the present release', () => {
    expect(codex.commandLine({ ...CALL, help: null }).argv).toContain('workspace-write');
  });

  test('in text mode has the last words written to a file', () => {
    expect(codex.commandLine({ ...OLD, mode: 'text' }).argv).toEqual([
      'codex',
      'e',
      '-o',
      '/runs/1.answer',
      '--full-auto',
      '-',
    ]);
    expect(codex.parser({ ...CALL, mode: 'text' })).toMatchObject({ hasStructure: false, answersInFile: true });
    const own = codex.parser({ ...CALL, mode: 'text', flags: ['-o', 'mine.txt'] });
    expect(own.answersInFile).not.toBe(true);
  });

  test.each([
    [['--dangerously-bypass-approvals-and-sandbox']],
    [['--sandbox=read-only']],
    [['-s', 'read-only']],
    [['--full-auto']],
  ])('adds no permission to those that the user gave: %j', (flags) => {
    expect(codex.commandLine({ ...CALL, flags }).argv).toEqual([
      'codex',
      'e',
      '--json',
      '--skip-git-repo-check',
      ...flags,
      '-',
    ]);
  });
});
