/** The guard's verdict on a command or on a file that a tool would write or read. */
import { type Allowed, isAllowed } from './allowed.ts';
import { CATEGORIES } from './categories/all.ts';
import { credentials, readsSecretFile } from './categories/credentials.ts';
import { obfuscation } from './categories/obfuscation.ts';
import { sensitivePaths } from './categories/sensitive-paths.ts';
import type { Category, Concern, Context, Seen } from './category.ts';
import { type Command, callersOf, UNKNOWN } from './command.ts';
import { resolvePath } from './paths.ts';
import { newShell } from './run/shell-state.ts';
import { walkScript } from './run/walk.ts';
import { writesSensitively } from './sensitive.ts';
import { parse } from './shell/parse.ts';

export interface Finding {
  readonly tier: Concern['tier'];
  readonly number: number;
  readonly category: string;
  /** The piece of the command, or the file. */
  readonly piece: string;
  readonly why: string;
  readonly instead: string;
}

const TOO_LONG: Concern = { tier: 'warn', why: 'describes more than the guard reads: not all of it was looked at' };

/** Everything of concern, blocks first; empty where there is nothing to say. */
export function judgeCommand(text: string, cwd: string, context: Context, allowed: readonly Allowed[] = []): Finding[] {
  const shell = newShell(context.home, context.project, cwd);
  walkScript(parse(text), shell);
  const seen: Seen = {
    written: (path, from) => {
      const resolved = resolvePath(path, from, context.home);
      return resolved === null ? null : (shell.files.get(resolved) ?? null);
    },
  };
  const findings = shell.found.flatMap((command) => look(command, context, seen, allowed));
  return inOrder(shell.budget.left > 0 ? findings : [...findings, ...told(obfuscation, TOO_LONG, '…')]);
}

export function judgeWrite(path: string, cwd: string, context: Context): Finding[] {
  return told(sensitivePaths, writesSensitively(path, cwd, context), path);
}

export function judgeRead(path: string, cwd: string, context: Context): Finding[] {
  return told(credentials, readsSecretFile(path, cwd, context), path);
}

function look(command: Command, context: Context, seen: Seen, allowed: readonly Allowed[]): Finding[] {
  const isContained = callersOf(command).some(({ name }) => name === 'docker' || name === 'podman');
  const categories = isContained ? CATEGORIES.filter(({ holdsInContainers }) => holdsInContainers) : CATEGORIES;
  const findings = categories.flatMap((category) =>
    told(category, category.look(command, context, seen), pieceOf(command)),
  );
  return findings.length > 0 && isAllowed(command, allowed) ? [] : findings;
}

function told(category: Category, concern: Concern | null, piece: string): Finding[] {
  if (concern === null) return [];
  const { tier, why, instead = category.instead } = concern;
  return [{ tier, number: category.number, category: category.name, piece, why: shown(why), instead }];
}

const LONGEST_PIECE = 200;

/** The words as they would be run: what a decoding has brought to light is shown in the open. */
function pieceOf(command: Command): string {
  const words = [command.program, ...command.args.map(({ text }) => text)].join(' ').trim();
  const text = shown(command.outer === null ? command.source : words);
  return text.length > LONGEST_PIECE ? `${text.slice(0, LONGEST_PIECE)}…` : text;
}

function shown(text: string): string {
  return text.replaceAll(UNKNOWN, '…');
}

/** Blocks first, and each thing said once. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const unique = new Map(findings.map((finding) => [`${finding.tier} ${finding.number} ${finding.why}`, finding]));
  const all = [...unique.values()];
  return [...all.filter(({ tier }) => tier === 'block'), ...all.filter(({ tier }) => tier === 'warn')];
}
