/**
 * The guard's second half, loaded only where the first could not tell that there is nothing to say: the whole judge, and
 * the answer. Exit code 2 blocks even where permissions are bypassed; nothing said lets the tool run.
 */
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readAllowed } from '../core/guard/allowed.ts';
import type { Context } from '../core/guard/category.ts';
import { type Finding, judgeCommand, judgeRead, judgeWrite } from '../core/guard/judge.ts';

const BLOCKED = 2;
/** Longer output is cut off by Claude Code. */
const LONGEST_ANSWER = 8000;
const GIT_PATIENCE_MS = 5000;

export type Place = Omit<Context, 'isDirty'>;

/** What a tool would do: run a text, or write or read a file. */
export type Deed = { readonly does: 'run' | 'write' | 'read'; readonly what: string };

export function judgeAndAnswer(deed: Deed, cwd: string, place: Place): void {
  answer(findingsOf(deed, cwd, { ...place, isDirty }));
}

function findingsOf({ does, what }: Deed, cwd: string, context: Context): Finding[] {
  switch (does) {
    case 'run':
      return judgeCommand(what, cwd, context, allowedIn(context));
    case 'write':
      return judgeWrite(what, cwd, context);
    case 'read':
      return judgeRead(what, cwd, context);
  }
}

function allowedIn({ project, home }: Context) {
  // The harness names it where the loop's folder is another; an agent cannot change the environment of its own hooks.
  const path = process.env.RALPH_ALLOWED_COMMANDS ?? join(project, 'ralph/allowed-commands.txt');
  return existsSync(path) ? readAllowed(readFileSync(path, 'utf8'), home, project) : [];
}

/** Git that does not answer leaves the question open: then there may be something to lose. */
function isDirty(folder: string): boolean {
  // Loaded only for the few commands that need it: it costs a hook more than all the rest.
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const { status, stdout } = spawnSync('git', ['status', '--porcelain', '--untracked-files=normal'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: GIT_PATIENCE_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status !== 0 || stdout !== '';
}

function answer(findings: readonly Finding[]): void {
  const blocks = findings.filter(({ tier }) => tier === 'block');
  if (blocks.length > 0) {
    writeSync(2, `${blocks.map((finding) => sentence('blocked', finding)).join('\n')}\n`.slice(0, LONGEST_ANSWER));
    process.exitCode = BLOCKED;
  } else if (findings.length > 0) {
    const additionalContext = findings
      .map((finding) => sentence('warning', finding))
      .join('\n')
      .slice(0, LONGEST_ANSWER);
    writeSync(1, `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext } })}\n`);
  }
}

function sentence(kind: string, { number, category, piece, why, instead }: Finding): string {
  return `ralph guard, ${kind} (category ${number}, ${category}): \`${piece}\` ${why}. ${instead}`;
}
