/**
 * Claude Code's PreToolUse hook, for runs without a sandbox: a dangerous command or write is refused with a reason, a
 * doubtful one gets a word along. A text guard is a rail, not a wall: whatever it cannot read, it lets through.
 */
import { existsSync, readFileSync, realpathSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { readAllowed } from '../core/guard/allowed.ts';
import type { Context } from '../core/guard/category.ts';
import { type Finding, judgeCommand, judgeRead, judgeWrite } from '../core/guard/judge.ts';
import { stateRoot } from '../state/paths.ts';
import { readInput } from './io/input.ts';

const BLOCKED = 2;
/** Longer output is cut off by Claude Code. */
const LONGEST_ANSWER = 8000;
const GIT_PATIENCE_MS = 5000;
const WRITING_TOOLS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];
const SHELL_TOOLS = ['Bash', 'PowerShell', 'Monitor'];

function preToolUse(): void {
  if (process.env.RALPH_GUARD !== 'on') return;
  const input = inputOrNothing();
  const cwd = resolve(textOf(input.cwd) ?? '.');
  const project = resolve(process.env.CLAUDE_PROJECT_DIR ?? cwd);
  answer(findingsOf(input, asSeenFrom(project, cwd), contextOf(project)));
}

/** One folder may have two names (`/tmp` on macOS is a link): a folder in the project is told by the project's. */
function asSeenFrom(project: string, cwd: string): string {
  try {
    const inside = relative(realpathSync(project), realpathSync(cwd));
    return inside.startsWith('..') || isAbsolute(inside) ? cwd : join(project, inside);
  } catch {
    // One of them is not there; then its name is all there is.
    return cwd;
  }
}

/** Input that makes no sense is nobody's command. */
function inputOrNothing(): Readonly<Record<string, unknown>> {
  try {
    return readInput();
  } catch {
    // Not JSON: there is nothing to judge, and silence lets the session go on.
    return {};
  }
}

function findingsOf(input: Readonly<Record<string, unknown>>, cwd: string, context: Context): Finding[] {
  const tool = textOf(input.tool_name) ?? '';
  const given = input.tool_input;
  if (given === null || typeof given !== 'object') return [];
  const field = (name: string) => textOf((given as Readonly<Record<string, unknown>>)[name]);
  if (SHELL_TOOLS.includes(tool)) return judgeCommand(field('command') ?? '', cwd, context, allowedIn(context));
  const path = field('file_path') ?? field('notebook_path');
  if (path === null) return [];
  if (WRITING_TOOLS.includes(tool)) return judgeWrite(path, cwd, context);
  return tool === 'Read' ? judgeRead(path, cwd, context) : [];
}

function contextOf(project: string): Context {
  const home = process.env.HOME;
  return {
    home: home !== undefined && isAbsolute(home) ? home : homedir(),
    project,
    protectedFolders: [stateRoot(process.env).path],
    isDirty,
    exists: existsSync,
  };
}

function allowedIn({ project, home }: Context) {
  const path = join(project, 'ralph/allowed-commands.txt');
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

/** Exit code 2 blocks even where permissions are bypassed; nothing said lets the tool run. */
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

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

try {
  preToolUse();
} catch (error) {
  // A fault of ours must not hold a session: this exit code blocks nothing, and people are told that nobody looked.
  writeSync(2, `ralph: the guard could not look at this: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
