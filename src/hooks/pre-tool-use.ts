/**
 * The plugin's PreToolUse hook, for runs without a sandbox: refuses dangerous calls, and warns of doubtful ones. This
 * half recognises plainly harmless calls; the full judge is in a separate file, because it is slow to load.
 */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { textOf } from '../agents/session/hook-fields.ts';
import type { Fields } from '../agents/session/host.ts';
import type { ContextWithoutGit } from '../guard/category.ts';
import { table } from '../guard/command.ts';
import { secrecyOf, writesSensitively } from '../guard/paths.ts';
import { isPlainlyHarmless } from '../guard/plain.ts';
import { stateRoot } from '../state/paths.ts';
import { inputOrNothing, runHook } from './io/hook.ts';
import type { Deed } from './pre-tool-use-judge.ts';

/** What each tool does; other tools are not judged. */
const DEEDS = table<Deed['does']>({
  'Bash Monitor': 'run',
  PowerShell: 'run-powershell',
  'Write Edit MultiEdit NotebookEdit': 'write',
  Read: 'read',
});

function preToolUse(): void {
  if (process.env.RALPH_GUARD !== 'on') return;
  const input = inputOrNothing();
  const deed = deedOf(input);
  if (deed === null) return;
  const folder = resolve(textOf(input.cwd) ?? '.');
  const project = resolve(process.env.CLAUDE_PROJECT_DIR ?? folder);
  const cwd = asSeenFrom(project, folder);
  const allowed = process.env.RALPH_ALLOWED_COMMANDS;
  const protectedFolders = [stateRoot(process.env).path, ...(allowed === undefined ? [] : [allowed])];
  const context: ContextWithoutGit = { home: homeFolder(), project, protectedFolders, exists: existsSync };
  if (isNothing(deed, cwd, context)) return;
  // The build keeps this name: the file is next to this one.
  const { judgeAndAnswer } = require('./pre-tool-use-judge.cjs') as typeof import('./pre-tool-use-judge.ts');
  judgeAndAnswer(deed, cwd, context);
}

function deedOf({ tool_name: tool, tool_input: given }: Fields): Deed | null {
  const does = DEEDS.get(textOf(tool) ?? '');
  if (does === undefined || given === null || typeof given !== 'object') return null;
  const { command, file_path: file, notebook_path: notebook } = given as Fields;
  const isRun = does === 'run' || does === 'run-powershell';
  const what = isRun ? (textOf(command) ?? '') : (textOf(file) ?? textOf(notebook));
  return what === null ? null : { does, what };
}

/** Whether the judge would have no findings. */
function isNothing({ does, what }: Deed, cwd: string, context: ContextWithoutGit): boolean {
  switch (does) {
    case 'run':
    case 'run-powershell':
      return isPlainlyHarmless(what, cwd, context);
    case 'write':
      return writesSensitively(what, cwd, context) === null;
    case 'read':
      return secrecyOf(what, cwd, context.home) === 'public';
  }
}

/** A folder can have two names (`/tmp` on macOS is a link): one in the project is expressed with the project's name. */
function asSeenFrom(project: string, cwd: string): string {
  if (cwd === project) return cwd;
  try {
    const inside = relative(realpathSync.native(project), realpathSync.native(cwd));
    return inside.startsWith('..') || isAbsolute(inside) ? cwd : join(project, inside);
  } catch {
    // One of them does not exist, so there is only its name.
    return cwd;
  }
}

/** Asks the system only if the environment has no home folder. */
function homeFolder(): string {
  const home = process.env.HOME;
  return home !== undefined && isAbsolute(home) ? home : (require('node:os') as typeof import('node:os')).homedir();
}

// Input that is not JSON holds no command: there is nothing to judge, and the session continues.
runHook('the guard could not look at this', preToolUse);
