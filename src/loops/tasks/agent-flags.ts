/** The flags with which a task's agents work without asking anybody; what a user gives wins. */
import { basename } from 'node:path';
import { unlessGiven, type Wanted } from '../../agents/flags.ts';

const WANTED: Readonly<Record<string, readonly Wanted[]>> = {
  claude: [
    { words: ['--input-format', 'text'] },
    { words: ['--tools', 'default'] },
    { words: ['--permission-mode', 'bypassPermissions'], or: ['--dangerously-skip-permissions'] },
  ],
  codex: [
    {
      words: ['--dangerously-bypass-approvals-and-sandbox'],
      or: ['-s', '--sandbox', '--full-auto', '--yolo', '-a', '--ask-for-approval'],
    },
  ],
  gemini: [{ words: ['--screen-reader', 'true'] }],
};

export function taskFlags(agent: string, given: readonly string[]): string[] {
  return [...unlessGiven(WANTED[basename(agent)] ?? [], given), ...given];
}
