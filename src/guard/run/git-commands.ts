/** The commands that git would run: aliases, editors, pagers, helpers, arguments of its subcommands. */
import type { Arg, Command, Options } from '../command.ts';
import { list, plainArg, readOptions, table, textsOf, UNKNOWN } from '../command.ts';
import { resolvePath } from '../paths.ts';
import { callOf, type Inner, lines, linesInOptions } from './shell.ts';

/** Git's own options before the subcommand; the operands begin with the subcommand. */
export function gitOptions(command: Command): Options {
  return readOptions(command.args, '-Cc git-dir work-tree namespace exec-path config-env', 'leading');
}

/** The folder in which git would run; null if that is not known. */
export function gitFolder(command: Command, home: string): string | null {
  const folders = gitOptions(command).values('C');
  return folders.reduce<string | null>((cwd, { text }) => resolvePath(text, cwd, home), command.cwd);
}

export function gitSettings(command: Command): [name: string, value: string][] {
  const settings = gitOptions(command).values('c');
  return settings.map(({ text }) => {
    const at = text.indexOf('=');
    return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  });
}

/** Settings whose value git runs as a command. */
export const RUN_BY_GIT = new RegExp(
  `^(?:${[
    String.raw`core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)`,
    String.raw`sequence\.editor|interactive\.difffilter|diff\.external|pager\..+|gpg(?:\..+)?\.program`,
    String.raw`gpg\.ssh\.defaultkeycommand|credential(?:\..+)?\.helper|uploadpack\.packobjectshook`,
    String.raw`(?:diff|merge|filter|difftool|mergetool|man|browser|trailer|tar)\..+\.(?:command|textconv|driver|clean|smudge|process|cmd|path)`,
    String.raw`remote\..+\.(?:uploadpack|receivepack|vcs)|sendemail\.(?:.+\.)?(?:sendmailcmd|tocmd|cccmd|smtpserver)`,
    String.raw`submodule\..+\.update`,
  ].join('|')})$`,
  'i',
);

export function commandsInGit(command: Command): Inner[] {
  const [subcommand = plainArg(''), ...rest] = gitOptions(command).operands;
  const settings = gitSettings(command);
  const called = settings.find(([name]) => name.toLowerCase() === `alias.${subcommand.text.toLowerCase()}`);
  return [
    ...settings.flatMap(([name, value]) => commandsInGitSetting(name, value)),
    ...(called === undefined ? [] : commandsInAlias(called[1], rest)),
    ...(SUBCOMMANDS.get(subcommand.text)?.(rest) ?? []),
  ];
}

export function commandsInGitSetting(name: string, value: string): Inner[] {
  if (value === UNKNOWN || value === '') return [];
  if (/^alias\./i.test(name)) return commandsInAlias(value, []);
  // A helper's short name is one of git's own programs; with `!`, it is a shell command.
  return RUN_BY_GIT.test(name) ? lines([value.replace(/^!/, '')]) : [];
}

/** `!x` is a shell command, anything else a git subcommand. */
function commandsInAlias(value: string, rest: readonly Arg[]): Inner[] {
  if (value.startsWith('!')) return [{ text: `${value.slice(1)} ${textsOf(rest).join(' ')}` }];
  const given = value.split(/\s+/).filter(Boolean).map(plainArg);
  return callOf([plainArg('git'), ...given, ...rest]);
}

const FILTERS = 'tree-filter index-filter msg-filter env-filter commit-filter setup';
const HELPERS = 'upload-pack receive-pack exec';

const SUBCOMMANDS = table<(rest: readonly Arg[]) => Inner[]>({
  config: (rest) => {
    const { operands } = readOptions(rest, '-f file');
    const [name, value] = ['set', 'add'].includes(operands[0]?.text ?? '') ? operands.slice(1) : operands;
    return name === undefined || value === undefined ? [] : commandsInGitSetting(name.text, value.text);
  },
  submodule: (rest) => {
    const at = rest.findIndex(({ text }) => text === 'foreach');
    const { operands } = readOptions(rest.slice(at + 1), '', 'leading');
    return at === -1 ? [] : [{ text: textsOf(operands).join(' '), cwd: null }];
  },
  bisect: ([verb, ...rest]) => (verb?.text === 'run' ? [{ args: rest }] : []),
  rebase: (rest) => linesInOptions(rest, '-x exec'),
  'filter-branch': (rest) => linesInOptions(rest, FILTERS),
  'difftool mergetool': (rest) => linesInOptions(rest, '-x extcmd'),
  grep: (rest) => linesInOptions(rest, '-O open-files-in-pager'),
  // `git fetch 'ext::sh -c x'`, `git clone --upload-pack=x`, `git push --receive-pack=x`.
  'clone fetch pull push ls-remote remote archive': (rest) => [
    ...lines(rest.flatMap(({ text }) => (text.startsWith('ext::') ? [text.slice('ext::'.length)] : []))),
    ...linesInOptions(rest, `-u ${HELPERS}`, list(HELPERS)),
  ],
});
