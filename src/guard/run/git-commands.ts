/** What git is told to run: aliases, editors, pagers, helpers, hooks of its subcommands. */
import { type Arg, type Command, plainArg, UNKNOWN } from '../command.ts';
import { type Options, readOptions } from '../options.ts';
import { resolvePath } from '../paths.ts';
import type { Inner } from './unfold.ts';

/** Git's own options, before its subcommand; the operands begin with it. */
export function gitOptions(command: Command): Options {
  return readOptions(command.args, {
    letters: 'Cc',
    names: ['git-dir', 'work-tree', 'namespace', 'exec-path', 'config-env'],
    isPrefix: true,
  });
}

/** Where it would run; null if that cannot be told. */
export function gitFolder(command: Command, home: string): string | null {
  return gitOptions(command)
    .values('C')
    .reduce<string | null>((cwd, { text }) => resolvePath(text, cwd, home), command.cwd);
}

/** `-c name=value` on the command line. */
export function gitSettings(command: Command): [name: string, value: string][] {
  return gitOptions(command)
    .values('c')
    .map(({ text }) => {
      const at = text.indexOf('=');
      return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    });
}

/** Settings whose value is a command. */
const RUNS = new RegExp(
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

export function isRunByGit(setting: string): boolean {
  return RUNS.test(setting);
}

export function commandsInGit(command: Command): Inner[] {
  const options = gitOptions(command);
  const [subcommand, ...rest] = options.operands;
  const settings = gitSettings(command);
  const called = settings.find(([name]) => name.toLowerCase() === `alias.${subcommand?.text.toLowerCase() ?? ''}`);
  return [
    ...settings.flatMap(([name, value]) => commandsInGitSetting(name, value)),
    ...(called === undefined ? [] : commandsInAlias(called[1], rest)),
    ...(subcommand === undefined ? [] : commandsInSubcommand(subcommand.text, rest)),
  ];
}

/** What a setting makes git run, now or later. */
export function commandsInGitSetting(name: string, value: string): Inner[] {
  if (value === UNKNOWN || value === '') return [];
  if (/^alias\./i.test(name)) return commandsInAlias(value, []);
  if (!isRunByGit(name)) return [];
  // A helper's short name is git's own program; `!` makes it a shell's line.
  return [{ kind: 'text', text: value.replace(/^!/, ''), isGuess: true }];
}

/** `!x` is a shell's line, anything else git's own subcommand. */
function commandsInAlias(value: string, rest: readonly Arg[]): Inner[] {
  const words = rest.map(({ text }) => text).join(' ');
  if (value.startsWith('!')) return [{ kind: 'text', text: `${value.slice(1)} ${words}` }];
  const given = value.split(/\s+/).filter(Boolean).map(plainArg);
  return [{ kind: 'call', args: [plainArg('git'), ...given, ...rest] }];
}

function commandsInSubcommand(subcommand: string, rest: readonly Arg[]): Inner[] {
  const texts = rest.map(({ text }) => text);
  switch (subcommand) {
    case 'config': {
      const { operands } = readOptions(rest, { letters: 'f', names: ['file'] });
      const [name, value] = ['set', 'add'].includes(operands[0]?.text ?? '') ? operands.slice(1) : operands;
      return name === undefined || value === undefined ? [] : commandsInGitSetting(name.text, value.text);
    }
    case 'submodule': {
      const at = texts.indexOf('foreach');
      const words = readOptions(rest.slice(at + 1), { isPrefix: true }).operands;
      return at === -1 ? [] : [{ kind: 'text', text: words.map(({ text }) => text).join(' '), cwd: null }];
    }
    case 'bisect':
      return texts[0] === 'run' ? [{ kind: 'call', args: rest.slice(1) }] : [];
    case 'rebase':
      return textsOf(readOptions(rest, { letters: 'x', names: ['exec'] }).values('x', 'exec'));
    case 'filter-branch':
      return textsOf(readOptions(rest, { names: FILTERS }).values(...FILTERS));
    case 'difftool':
    case 'mergetool':
      return textsOf(readOptions(rest, { letters: 'x', names: ['extcmd'] }).values('x', 'extcmd'));
    case 'grep':
      return textsOf(readOptions(rest, { letters: 'O', names: ['open-files-in-pager'] }).values('O', 'open-files'));
    case 'clone':
    case 'fetch':
    case 'pull':
    case 'push':
    case 'ls-remote':
    case 'remote':
    case 'archive':
      return [...transports(rest), ...helpersOfRemote(rest)];
    default:
      return [];
  }
}

const FILTERS = ['tree-filter', 'index-filter', 'msg-filter', 'env-filter', 'commit-filter', 'setup'];
const HELPERS = ['upload-pack', 'receive-pack', 'exec'];

/** `git clone --upload-pack=x`, `git push --receive-pack=x`. */
function helpersOfRemote(rest: readonly Arg[]): Inner[] {
  return textsOf(readOptions(rest, { letters: 'u', names: HELPERS }).values(...HELPERS));
}

/** `git fetch 'ext::sh -c x'`. */
function transports(rest: readonly Arg[]): Inner[] {
  return rest.flatMap(({ text }): Inner[] =>
    text.startsWith('ext::') ? [{ kind: 'text', text: text.slice('ext::'.length), isGuess: true }] : [],
  );
}

function textsOf(args: readonly Arg[]): Inner[] {
  return args.filter(({ text }) => text !== UNKNOWN).map(({ text }) => ({ kind: 'text', text, isGuess: true }));
}
