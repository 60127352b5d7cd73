/** What a command runs in its turn: `sudo x`, `env A=1 x`, `bash -c 'x'`, `xargs x`, `find -exec x`, `python -c '…'`. */
import { type Arg, type Command, type Flow, UNKNOWN } from '../command.ts';
import { type Options, readOptions, type Shape } from '../options.ts';
import { resolvePath } from '../paths.ts';
import { commandsOfTar, isTar } from './archives.ts';
import { commandsInVariables } from './command-variables.ts';
import { commandsOfFd, commandsOfFind } from './find.ts';
import { commandsInGit } from './git-commands.ts';
import { codeOf, commandsInCode } from './inline-code.ts';
import { commandsOfMake } from './makefile.ts';
import { readSed } from './sed.ts';
import type { Shell } from './shell-state.ts';
import { isShell, scriptOfShell } from './shells.ts';
import { commandsOfParallel, commandsOfXargs } from './xargs.ts';

export type Inner = {
  /** Where it reads from, if not from where its caller reads. */
  readonly input?: Flow;
  readonly cwd?: string | null;
  /** It may be a command or something else: where it makes no sense as one, it is something else. */
  readonly isGuess?: boolean;
} & (
  | { readonly kind: 'call'; readonly args: readonly Arg[] }
  | {
      readonly kind: 'text';
      readonly text: string;
      /** `$0`, `$1` … */
      readonly parameters?: readonly string[];
      /** `eval` and `source` change the shell that they stand in. */
      readonly isSameShell?: boolean;
    }
);

/** Programs that run what follows their options, and how many words they take before it. */
const PREFIXES: Readonly<Record<string, Shape & { readonly skip?: number }>> = {
  sudo: { letters: 'ugpCDhRrtTU', names: ['user', 'group', 'prompt', 'chdir', 'host', 'role', 'type'] },
  doas: { letters: 'uC' },
  pkexec: { names: ['user'] },
  env: { letters: 'uCS', names: ['unset', 'chdir', 'split-string'] },
  nohup: {},
  setsid: {},
  nice: { letters: 'n', names: ['adjustment'] },
  ionice: { letters: 'cnpPu', names: ['class', 'classdata'] },
  time: { letters: 'fo', names: ['format', 'output'] },
  timeout: { letters: 'ks', names: ['kill-after', 'signal'], skip: 1 },
  gtimeout: { letters: 'ks', names: ['kill-after', 'signal'], skip: 1 },
  stdbuf: { letters: 'ioe', names: ['input', 'output', 'error'] },
  command: {},
  builtin: {},
  exec: { letters: 'a' },
  chronic: {},
  unbuffer: {},
  caffeinate: { letters: 'tw' },
  strace: { letters: 'eops' },
  'xvfb-run': { letters: 'nse' },
  busybox: {},
  toybox: {},
  nsenter: { letters: 't', names: ['target'] },
  unshare: {},
  chroot: { names: ['userspec', 'groups'], skip: 1 },
  flock: { letters: 'wE', names: ['timeout'], skip: 1 },
  taskset: { skip: 1 },
  npx: { letters: 'pc', names: ['package', 'call'] },
  bunx: { letters: 'p', names: ['package'] },
  uvx: { names: ['from', 'with'] },
  dotenv: { letters: 'ecv' },
  'cross-env': {},
  'cross-env-shell': {},
  fakeroot: {},
  faketime: { letters: 'f', skip: 1 },
  ltrace: { letters: 'eopsnu' },
  valgrind: {},
  entr: {},
  watchexec: { letters: 'wefi', names: ['watch', 'exts', 'filter', 'ignore'] },
  setpriv: {},
  proot: { letters: 'rbw' },
  firejail: {},
};

/** Programs that run what follows one of their words. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  poetry: ['run'],
  uv: ['run'],
  pipenv: ['run'],
  pdm: ['run'],
  hatch: ['run'],
  conda: ['run'],
  bundle: ['exec'],
  mise: ['exec', 'x'],
  asdf: ['exec'],
  rbenv: ['exec'],
  pyenv: ['exec'],
  direnv: ['exec'],
  perf: ['stat', 'record'],
  heroku: ['local:run'],
  op: ['run'],
  nix: ['-c', '--command'],
};

/** Programs whose options hold a line for a shell. */
const LINES: Readonly<Record<string, Shape & { readonly line: readonly string[] }>> = {
  man: { letters: 'PHCMS', names: ['pager', 'html'], line: ['P', 'H', 'pager', 'html'] },
  rsync: { letters: 'efTB', names: ['rsh', 'rsync-path', 'exclude', 'include'], line: ['e', 'rsh', 'rsync-path'] },
  zip: { names: ['unzip-command'], line: ['unzip-command'] },
  nodemon: { letters: 'xwei', names: ['exec', 'watch', 'ext', 'ignore'], line: ['x', 'exec'] },
  'nix-shell': { letters: 'pAI', names: ['run', 'command'], line: ['run', 'command'] },
  expect: { letters: 'cf', line: ['c'] },
  wget: { letters: 'OPU', names: ['use-askpass'], line: ['use-askpass'] },
};

/** Programs whose words, put together, are a shell's text. */
const JOINED: Readonly<Record<string, Shape & { readonly skip?: number }>> = {
  eval: {},
  watch: { letters: 'n', names: ['interval'] },
  ssh: { letters: 'bcDEeFIiJLlmOopQRSWw', skip: 1 },
};

export function unfold(command: Command, shell: Shell): Inner[] {
  return [...commandsInVariables(command), ...unfoldProgram(command, shell)];
}

function unfoldProgram(command: Command, shell: Shell): Inner[] {
  const { name } = command;
  if (isTar(name)) return asTexts(commandsOfTar(command));
  if (isShell(name) || name === 'source' || name === '.') return scriptOfShell(command, shell);
  const prefix = own(PREFIXES, name);
  if (prefix !== null) return unfoldPrefix(command, prefix, shell);
  const together = own(JOINED, name);
  if (together !== null) return unfoldJoined(command, together);
  const code = codeOf(command);
  if (code !== null) return commandsInCode(code, command);
  const runner = own(RUNNERS, name);
  if (runner !== null) return unfoldRunner(command, runner);
  const line = own(LINES, name);
  if (line !== null) return textsOf(readOptions(command.args, line).values(...line.line));
  switch (name) {
    case 'xargs':
      return commandsOfXargs(command);
    case 'parallel':
      return commandsOfParallel(command);
    case 'find':
    case 'gfind':
      return commandsOfFind(command);
    case 'fd':
    case 'fdfind':
      return commandsOfFd(command);
    case 'git':
      return commandsInGit(command);
    case 'sed':
    case 'gsed':
      return asTexts(readSed(command).runs);
    case 'make':
    case 'gmake':
      return asTexts(commandsOfMake(command, shell));
    case 'trap':
      return textsOf(readOptions(command.args).operands.slice(0, 1));
    case 'alias':
      return textsOf(command.args.map(({ text, from }) => ({ text: text.slice(text.indexOf('=') + 1), from })));
    case 'su':
    case 'runuser':
    case 'script':
      return textsOf(readOptions(command.args, { letters: 'cs', names: ['command'] }).values('c', 'command'));
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun':
      return unfoldPackageRunner(command);
    case 'vi':
    case 'vim':
    case 'nvim':
    case 'view':
    case 'ex':
      return unfoldEditor(command);
    case 'docker':
    case 'podman':
      return unfoldContainer(command);
    case 'tmux':
    case 'screen':
    case 'hyperfine':
    case 'concurrently':
    case 'gdb':
    case 'emacs':
      return unfoldLines(command);
    case 'scp':
    case 'sftp':
      return commandsOfSsh(command);
    default:
      return name.includes(UNKNOWN) ? unfoldUnknown(command) : unfoldWrittenFile(command, shell);
  }
}

/** A program that cannot be told may be a shell. */
function unfoldUnknown(command: Command): Inner[] {
  const at = command.args.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  return textsOf(at === -1 ? [] : command.args.slice(at + 1, at + 2));
}

function unfoldPrefix(command: Command, { skip = 0, ...shape }: Shape & { skip?: number }, shell: Shell): Inner[] {
  const options = readOptions(command.args, { ...shape, isPrefix: true });
  if (command.name === 'command' && options.has('v', 'V')) return [];
  const texts = [...options.values('split-string', 'S'), ...options.values('call', 'c')];
  if (texts.length > 0 && ['env', 'npx', 'flock'].includes(command.name)) {
    const rest = options.operands.map(({ text }) => text).join(' ');
    return texts.map(({ text }) => ({ kind: 'text', text: `${text} ${rest}` }));
  }
  const words = options.operands.slice(skip);
  const start = words.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  return start === -1 ? [] : [{ kind: 'call', args: words.slice(start), ...folderOf(options, command, shell) }];
}

function folderOf(options: Options, command: Command, shell: Shell): { cwd?: string | null } {
  const [folder] = [...options.values('chdir'), ...(command.name === 'env' ? options.values('C') : [])];
  return folder === undefined ? {} : { cwd: resolvePath(folder.text, command.cwd, shell.home) };
}

function unfoldJoined(command: Command, { skip = 0, ...shape }: Shape & { skip?: number }): Inner[] {
  const words = readOptions(command.args, { ...shape, isPrefix: true }).operands.slice(skip);
  const text = words.map((arg) => arg.text).join(' ');
  if (command.name === 'ssh') {
    // Without a command the shell over there reads its input. On another machine nothing is where it is here.
    const script = text.trim() === '' ? command.input.text : text;
    return [
      ...commandsOfSsh(command),
      ...(script === null ? [] : [{ kind: 'text', text: script, cwd: null } as const]),
    ];
  }
  if (text.trim() === '') return [];
  return [{ kind: 'text', text, isSameShell: command.name === 'eval' }];
}

/** `npm exec -- x`, `npm exec -c 'x'`, `pnpm dlx x`, `yarn exec x`, `bun x y`. */
function unfoldPackageRunner(command: Command): Inner[] {
  const [subcommand, ...rest] = readOptions(command.args, {
    letters: 'wC',
    names: ['prefix', 'workspace', 'dir', 'filter'],
    isPrefix: true,
  }).operands;
  if (!['exec', 'x', 'dlx', 'explore'].includes(subcommand?.text ?? '')) return [];
  const isShellMode = command.name === 'pnpm';
  const options = readOptions(rest, {
    letters: isShellMode ? 'p' : 'pc',
    names: ['package', 'call'],
    isPrefix: true,
  });
  const texts = textsOf(options.values('c', 'call'));
  const operands = options.operands.slice(subcommand?.text === 'explore' ? 1 : 0).filter(({ text }) => text !== '--');
  if (operands.length === 0) return texts;
  const isLine = operands.length === 1 || (isShellMode && options.has('c', 'shell-mode'));
  const line: Inner = { kind: 'text', text: operands.map(({ text }) => text).join(' ') };
  return [...texts, isLine ? line : { kind: 'call', args: operands }];
}

/** `vim -c ':!x'` and `vim '+!x'`. */
function unfoldEditor(command: Command): Inner[] {
  const given = readOptions(command.args, { letters: 'c' }).values('c');
  const plus = command.args.filter(({ text }) => text.startsWith('+'));
  return textsOf(
    [...given, ...plus].flatMap(({ text, from }) => {
      const line = /^\+?:?!(.*)$/s.exec(text)?.[1];
      return line === undefined ? [] : [{ text: line, from }];
    }),
  );
}

/** `docker exec db psql …`: what runs inside; the files there are not ours. */
function unfoldContainer(command: Command): Inner[] {
  const words = command.args.map(({ text }) => text);
  const at = words[0] === 'compose' ? words.indexOf('exec') : words[0] === 'exec' ? 0 : -1;
  if (at === -1) return [];
  const shape = { letters: 'euw', names: ['env', 'user', 'workdir', 'index', 'env-file'], isPrefix: true };
  const inner = readOptions(command.args.slice(at + 1), shape).operands.slice(1);
  return inner.length === 0 ? [] : [{ kind: 'call', args: inner, cwd: null }];
}

/** Each word that could be a line is one; `shell x` of a debugger, `(shell-command "x")` of Emacs. */
function unfoldLines(command: Command): Inner[] {
  const lines = command.args.filter(({ text }) => text.includes(' '));
  return asTexts(
    lines.map(({ text }) =>
      text.replace(/^(?:!|shell )\s*/, '').replace(/^\(shell-command(?:-to-string)? "(.*)"\)$/s, '$1'),
    ),
  );
}

/** `bundle exec x`, `uv run x`. */
function unfoldRunner(command: Command, words: readonly string[]): Inner[] {
  const at = command.args.findIndex(({ text }) => words.includes(text));
  if (at === -1) return [];
  const shape = { letters: 'npE', names: ['env', 'name', 'with', 'python', 'extra', 'group'], isPrefix: true };
  const { operands } = readOptions(command.args.slice(at + 1), shape);
  const args = operands.slice(command.name === 'direnv' ? 1 : 0);
  return args.length === 0 ? [] : [{ kind: 'call', args }];
}

/** `ssh -o ProxyCommand='x' host`, `scp -S x`. */
function commandsOfSsh(command: Command): Inner[] {
  const options = readOptions(command.args, { letters: 'bcDEeFIiJLlmOopPQRSWw', isPrefix: command.name === 'ssh' });
  const proxies = options.values('o').flatMap(({ text, from }) => {
    const [, line] = /^(?:Proxy|Local|KnownHosts)Command[= ](.*)$/is.exec(text) ?? [];
    return line === undefined ? [] : [{ text: line, from }];
  });
  return textsOf([...proxies, ...(command.name === 'ssh' ? [] : options.values('S'))]);
}

/** `./x.sh` that was written a moment ago. */
function unfoldWrittenFile(command: Command, shell: Shell): Inner[] {
  if (!command.program.includes('/')) return [];
  const path = resolvePath(command.program, command.cwd, shell.home);
  const text = path === null ? null : (shell.files.get(path)?.text ?? null);
  return text === null ? [] : [{ kind: 'text', text }];
}

function textsOf(args: readonly Arg[]): Inner[] {
  return asTexts(args.map(({ text }) => text).filter((text) => text !== UNKNOWN));
}

function asTexts(texts: readonly string[]): Inner[] {
  return texts.map((text) => ({ kind: 'text', text, isGuess: true }));
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | null {
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}
