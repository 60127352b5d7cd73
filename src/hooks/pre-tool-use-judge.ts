/** The second half of the guard hook: the full judge, and its answer. Exit code 2 blocks even in bypass mode. */
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Context, ContextWithoutGit } from '../guard/category.ts';
import { type Finding, judgeCommand, judgeRead, judgeWrite, readAllowed } from '../guard/judge.ts';
import { askGit } from './io/git.ts';

const BLOCKED = 2;
/** Claude Code cuts longer output. */
const LONGEST_ANSWER = 8000;

/** What a tool would do: run a command, or write or read a file. */
export type Deed = { readonly does: 'run' | 'run-powershell' | 'write' | 'read'; readonly what: string };

export function judgeAndAnswer(deed: Deed, cwd: string, context: ContextWithoutGit): void {
  answer(findingsOf(deed, cwd, { ...context, isDirty, remotes }), wayOut(deed, context));
}

function findingsOf({ does, what }: Deed, cwd: string, context: Context): Finding[] {
  switch (does) {
    case 'run':
    case 'run-powershell': {
      const list = allowedList(context.project);
      const allowed = existsSync(list) ? readAllowed(readFileSync(list, 'utf8'), context.home, context.project) : [];
      return judgeCommand(what, cwd, context, { allowed, isBash: does === 'run' });
    }
    case 'write':
      return judgeWrite(what, cwd, context);
    case 'read':
      return judgeRead(what, cwd, context);
  }
}

/** The harness sets it if the loop has another folder; an agent cannot change the environment of its own hooks. */
function allowedList(project: string): string {
  return process.env.RALPH_ALLOWED_COMMANDS ?? join(project, 'ralph/allowed-commands.txt');
}

/** If git fails, assume that there may be something to lose. */
function isDirty(folder: string): boolean {
  return askGit(folder, 'status', '--porcelain', '--untracked-files=normal') !== '';
}

function remotes(folder: string): string[] {
  const lines = askGit(folder, 'config', '--get-regexp', String.raw`^remote\..*\.(push)?url$`)?.split('\n') ?? [];
  return lines.map((line) => line.slice(line.indexOf(' ') + 1)).filter(Boolean);
}

/** Findings about files cannot be allowed. */
function wayOut({ does }: Deed, { project }: ContextWithoutGit): string {
  if (does === 'write' || does === 'read') return '';
  const list = relative(project, allowedList(project));
  return `If the task needs it, say so and stop: a person can allow the command in ${list}.\n`;
}

function answer(findings: readonly Finding[], hint: string): void {
  const blocks = findings.filter(({ tier }) => tier === 'block');
  const isBlocked = blocks.length > 0;
  const kind = isBlocked ? 'blocked' : 'warning';
  const sentences = (isBlocked ? blocks : findings).map(
    ({ number, category, piece, why, instead }) =>
      `ralph guard, ${kind} (category ${number}, ${category}): \`${piece}\` ${why}. ${instead}`,
  );
  const additionalContext = sentences.join('\n').slice(0, LONGEST_ANSWER);
  if (isBlocked) {
    writeSync(2, `${additionalContext}\n${hint}`);
    process.exitCode = BLOCKED;
  } else if (findings.length > 0)
    writeSync(1, `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext } })}\n`);
}
