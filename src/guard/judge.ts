/** The guard's verdict on a command, or on a file that a tool would write or read. */
import { database } from './categories/database.ts';
import { FILES, sensitivePaths } from './categories/files.ts';
import { FOREIGN_CODE } from './categories/foreign-code.ts';
import { destructiveGit } from './categories/git.ts';
import { MACHINE } from './categories/machine.ts';
import { REMOTE } from './categories/remote.ts';
import { credentials, readsSecretFile, SECRETS } from './categories/secrets.ts';
import { block, type Category, type Concern, type Context, type Seen } from './category.ts';
import { type Command, callersOf, UNKNOWN } from './command.ts';
import { writesSensitively } from './paths.ts';
import { fileAt, newShell, type Shell } from './run/shell.ts';
import { walkWhole } from './run/walk.ts';

export interface Finding extends Concern {
  readonly instead: string;
  readonly number: number;
  readonly category: string;
  readonly piece: string;
}

const ALL = [...FILES, ...MACHINE, ...SECRETS, ...REMOTE, ...FOREIGN_CODE, destructiveGit, database];
const CATEGORIES = ALL.sort((a, b) => a.number - b.number);
/** For a text that was not read to its end. It shares its number with `obfuscated execution`. */
const unreadable: Omit<Category, 'look'> = {
  number: 12,
  name: 'unreadable command',
  instead: 'Check quotes and brackets; run complicated steps one by one, or as a script file.',
};
const SPLIT_UP = 'Split it into several commands.';

/** All findings, blocks first; empty if there are none. */
export function judgeCommand(
  text: string,
  cwd: string,
  context: Context,
  { allowed = [], isBash = true }: { readonly allowed?: readonly Allowed[]; readonly isBash?: boolean } = {},
): Finding[] {
  const shell = newShell(context.home, context.project, cwd);
  // NUL is our mark for the unknown; a shell drops it.
  walkWhole(text.replaceAll(UNKNOWN, ''), shell, isBash);
  const seen: Seen = {
    ...context,
    written: (path, from) => fileAt(path, from, shell),
    before: (command) => shell.found.slice(0, shell.found.indexOf(command)),
  };
  const findings = [
    ...shell.found.flatMap((command) => look(command, seen, allowed)),
    ...findingsOf(unreadable, unreadConcern(shell.limits), () => shortened(text.trim())),
  ];
  // Report each finding once.
  const unique = new Map(findings.map((finding) => [`${finding.tier} ${finding.number} ${finding.why}`, finding]));
  // Not `localeCompare`: it loads locale data, which adds 7 ms to every refusal.
  return [...unique.values()].sort((a, b) => Number(a.tier > b.tier) - Number(a.tier < b.tier));
}

/** The guard refuses what it cannot read. */
function unreadConcern({ stepsLeft, isTooDeep, syntaxError }: Shell['limits']): Concern | null {
  if (syntaxError !== null)
    return block(`is not valid bash (${syntaxError}), so the guard cannot tell what it would do`);
  if (isTooDeep) return block('nests commands too deeply for the guard to follow', SPLIT_UP);
  return stepsLeft <= 0 ? block('does more than the guard can follow', SPLIT_UP) : null;
}

export function judgeWrite(path: string, cwd: string, context: Context): Finding[] {
  return findingsOf(sensitivePaths, writesSensitively(path, cwd, context), () => path);
}

export function judgeRead(path: string, cwd: string, context: Context): Finding[] {
  return findingsOf(credentials, readsSecretFile(path, cwd, context), () => path);
}

function look(command: Command, seen: Seen, allowed: readonly Allowed[]): Finding[] {
  const isContained = callersOf(command).some(({ name }) => name === 'docker' || name === 'podman');
  const categories = isContained ? CATEGORIES.filter(({ holdsInContainers }) => holdsInContainers) : CATEGORIES;
  const { outer, source, program, words } = command;
  // Shows the words as they would be run, so that decoded text is visible.
  const piece = () => shortened(shown(outer === null ? source : [program, ...words].join(' ').trim()));
  const findings = categories.flatMap((each) => findingsOf(each, each.look(command, seen), piece));
  return findings.length > 0 && isAllowed(command, allowed) ? [] : findings;
}

function findingsOf(category: Omit<Category, 'look'>, concern: Concern | null, piece: () => string): Finding[] {
  if (concern === null) return [];
  const { tier, why, instead = category.instead } = concern;
  return [{ tier, number: category.number, category: category.name, piece: piece(), why: shown(why), instead }];
}

const LONGEST_PIECE = 200;

function shortened(text: string): string {
  return text.length > LONGEST_PIECE ? `${text.slice(0, LONGEST_PIECE)}…` : text;
}

function shown(text: string): string {
  return text.replaceAll(UNKNOWN, '…');
}

type Allowed = ReturnType<typeof readAllowed>[number];

/** Commands that people allow, one per line: exactly this one or, with `*` as the last word, all that begin like it. */
export function readAllowed(text: string, home: string, project: string) {
  return text.split('\n').flatMap((line) => {
    const shell = newShell(home, project, project);
    walkWhole(line.trim(), shell);
    const [command] = shell.found;
    if (command === undefined || command.name === '') return [];
    const words = [command.name, ...command.words];
    const isPrefix = words.length > 1 && words.at(-1) === '*';
    return [{ words: isPrefix ? words.slice(0, -1) : words, isPrefix }];
  });
}

/** Also true if a command that calls it is allowed: `sudo apt-get install x` allows the `apt-get` in it. */
function isAllowed(command: Command, allowed: readonly Allowed[]): boolean {
  return [command, ...callersOf(command)].some(({ name, words: args, redirections }) => {
    const words = [name, ...args];
    // An unknown word cannot have been allowed, and a redirection goes beyond the command.
    if (words.some((word) => word.includes(UNKNOWN))) return false;
    if (redirections.some(({ operator }) => operator.includes('>'))) return false;
    return allowed.some(
      ({ words: wanted, isPrefix }) =>
        wanted.every((word, at) => word === words[at]) && (isPrefix || wanted.length === words.length),
    );
  });
}
