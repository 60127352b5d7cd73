/** The commands inside a command: `sudo x`, `env A=1 x`, `bash -c 'x'`, `xargs x`, `find -exec x`, `python -c '…'`. */
import { type Command, partsOf, readOptions, table, textsOf, UNKNOWN, variablesSetBy } from '../command.ts';
import { resolvePath } from '../paths.ts';
import { commandsOfFd, commandsOfFind, commandsOfParallel, commandsOfXargs } from './each-file.ts';
import { commandsInGit, commandsInGitSetting } from './git-commands.ts';
import { codeOf, commandsInCode, commandsOfTar, readSed } from './programs.ts';
import type { Inner, Runs, Shell } from './shell.ts';
import { callOf, fileAt, lines, linesIn, linesInOptions, scriptOf } from './shell.ts';
import { commandsOfMake, SHELLS, scriptOfShell } from './shells.ts';

/** `env -S 'x'`, `npx -c 'x'`. */
const LINE_OPTIONS = ['split-string', 'S', 'call', 'c'];

const RUNS = table<Runs>({
  // Programs that run the words after their options.
  sudo: follows('-ugpCDhRrtTU user group prompt chdir host role type'),
  env: follows('-uCS unset chdir split-string', { folder: ['chdir', 'C'], lines: LINE_OPTIONS }),
  command: (command, shell) =>
    readOptions(command.args, '', 'leading').has('v', 'V') ? [] : follows()(command, shell),
  'nohup setsid builtin chronic unbuffer busybox toybox unshare': follows(),
  'cross-env cross-env-shell fakeroot valgrind entr setpriv firejail': follows(),
  doas: follows('-uC'),
  pkexec: follows('user'),
  nice: follows('-n adjustment'),
  ionice: follows('-cnpPu class classdata'),
  time: follows('-fo format output'),
  'timeout gtimeout': follows('-ks kill-after signal', { skip: 1 }),
  stdbuf: follows('-ioe input output error'),
  exec: follows('-a'),
  caffeinate: follows('-tw'),
  strace: follows('-eops'),
  ltrace: follows('-eopsnu'),
  'xvfb-run': follows('-nse'),
  nsenter: follows('-t target'),
  chroot: follows('userspec groups', { skip: 1 }),
  flock: follows('-wE timeout', { skip: 1, lines: LINE_OPTIONS }),
  taskset: follows('', { skip: 1 }),
  faketime: follows('-f', { skip: 1 }),
  npx: follows('-pc package call', { lines: LINE_OPTIONS }),
  bunx: follows('-p package'),
  uvx: follows('from with'),
  dotenv: follows('-ecv'),
  watchexec: follows('-wefi watch exts filter ignore'),
  proot: follows('-rbw'),
  // Programs that run the words after a certain word.
  'poetry uv pipenv pdm hatch conda op': followsWord(/^run$/),
  'bundle asdf rbenv pyenv': followsWord(/^exec$/),
  direnv: followsWord(/^exec$/, 1),
  mise: followsWord(/^(?:exec|x)$/),
  perf: followsWord(/^(?:stat|record)$/),
  heroku: followsWord(/^local:run$/),
  nix: followsWord(/^(?:-c|--command)$/),
  // Programs that run their joined words as shell text.
  eval: joined('', true),
  watch: joined('-n interval'),
  // Without a command, the remote shell reads its input. Local folders mean nothing on another machine.
  ssh: (command) => {
    const { operands } = readOptions(command.args, '-bcDEeFIiJLlmOopQRSWw', 'leading');
    const words = textsOf(operands.slice(1)).join(' ');
    return [...commandsOfSsh(command), ...scriptOf(words.trim() === '' ? command.input.text : words, { cwd: null })];
  },
  // Programs with options whose value is a shell command.
  man: optionLines('-PHCMS pager html', 'P H pager html'),
  rsync: optionLines('-efTB rsh rsync-path exclude include', 'e rsh rsync-path'),
  zip: optionLines('unzip-command'),
  nodemon: optionLines('-xwei exec watch ext ignore', 'x exec'),
  'nix-shell': optionLines('-pAI run command', 'run command'),
  expect: optionLines('-cf', 'c'),
  wget: optionLines('-OPU use-askpass', 'use-askpass'),
  'su runuser script': optionLines('-cs command', 'c command'),
  // All others.
  [`${SHELLS.join(' ')} source .`]: scriptOfShell,
  'tar gtar bsdtar': (command) => lines(commandsOfTar(command)),
  'make gmake': (command, shell) => lines(commandsOfMake(command, shell)),
  'sed gsed': (command) => lines(readSed(command).runs),
  xargs: commandsOfXargs,
  parallel: commandsOfParallel,
  'find gfind': commandsOfFind,
  'fd fdfind': commandsOfFd,
  git: commandsInGit,
  'npm pnpm yarn bun': unfoldPackageRunner,
  // `vim -c ':!x'` and `vim '+!x'`.
  'vi vim nvim view ex': ({ args }) => {
    const plus = args.filter(({ text }) => text.startsWith('+'));
    return linesIn(partsOf([...readOptions(args, '-c').values('c'), ...plus], /^\+?:?!(.*)$/s));
  },
  // `docker exec db psql …`: what runs in the container, whose files are not ours.
  'docker podman': ({ args, words }) => {
    const at = words[0] === 'compose' ? words.indexOf('exec') : words[0] === 'exec' ? 0 : -1;
    if (at === -1) return [];
    const { operands } = readOptions(args.slice(at + 1), '-euw env user workdir index env-file', 'leading');
    return callOf(operands.slice(1), null);
  },
  // Every word with a space may be a command; also `shell x` in a debugger, `(shell-command "x")` in Emacs.
  'tmux screen hyperfine concurrently gdb emacs': ({ words }) => {
    const texts = words.filter((text) => text.includes(' ')).map((text) => text.replace(/^(?:!|shell )\s*/, ''));
    return lines(texts.map((text) => text.replace(/^\(shell-command(?:-to-string)? "(.*)"\)$/s, '$1')));
  },
  'scp sftp': commandsOfSsh,
  trap: ({ args }) => linesIn(readOptions(args).operands.slice(0, 1)),
  alias: ({ args }) => linesIn(args.map(({ text, from }) => ({ text: text.slice(text.indexOf('=') + 1), from }))),
});

export function unfold(command: Command, shell: Shell): Inner[] {
  return [...commandsInVariables(command), ...unfoldProgram(command, shell)];
}

function unfoldProgram(command: Command, shell: Shell): Inner[] {
  const { name, args, program } = command;
  const code = codeOf(command);
  if (code !== null) return commandsInCode(code, command);
  const runs = RUNS.get(name);
  if (runs !== undefined) return runs(command, shell);
  if (name.includes(UNKNOWN)) {
    // An unknown program may be a shell.
    const at = args.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
    return at === -1 ? [] : linesIn(args.slice(at + 1, at + 2));
  }
  // `./x.sh` that an earlier command wrote.
  return program.includes('/') ? scriptOf(fileAt(program, command.cwd, shell)?.text) : [];
}

/** Variables whose value other programs run: `GIT_EDITOR='x' git commit`, `PAGER=x man ls`. */
const RUN_VARIABLES =
  /^(?:(?:GIT_|GIT_SEQUENCE_|SUDO_|SYSTEMD_|KUBE_|HG|SVN_|BUNDLER_)?EDITOR|VISUAL|FCEDIT|(?:GIT_|MAN|SYSTEMD_|AWS_|GH_|PSQL_|DELTA_)?PAGER|BROWSER|GH_BROWSER|(?:GIT|SSH|SUDO)_ASKPASS|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|\w+_RSH|SVN_SSH|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|RUSTC_WRAPPER|\w+_SHELL_COMMAND)$/;
/** A shell expands these when it prints a prompt, and runs the substitutions in them. */
const PROMPTS = /^PS[0-4]$/;

function commandsInVariables(command: Command): Inner[] {
  const variables = variablesSetBy(command);
  const texts = variables.flatMap(({ name, value: { text } }) => {
    if (text === UNKNOWN || text === '') return [];
    // `LESSOPEN='|x %s'`
    if (RUN_VARIABLES.test(name)) return [text.replace(/^\|+-?/, '')];
    return PROMPTS.test(name) && /\$\(|`/.test(text) ? [`: "${text}"`] : [];
  });
  // `GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=x` does the same as `git -c`.
  const settings = variables.flatMap(({ name, value }) => {
    const [, index] = /^GIT_CONFIG_KEY_(\d+)$/.exec(name) ?? [];
    const other = variables.find((each) => each.name === `GIT_CONFIG_VALUE_${index ?? ''}`);
    return other === undefined ? [] : commandsInGitSetting(value.text, other.value.text);
  });
  return [...lines(texts), ...settings];
}

interface Prefix {
  /** How many words after its options are its own. */
  readonly skip?: number;
  /** Options that set the folder in which it runs. */
  readonly folder?: readonly string[];
  /** Options whose value, together with the words after it, is shell text. */
  readonly lines?: readonly string[];
}

function follows(valued = '', { skip = 0, folder = ['chdir'], lines: lineOptions = [] }: Prefix = {}): Runs {
  return ({ args, cwd }, shell) => {
    const options = readOptions(args, valued, 'leading');
    const texts = textsOf(options.values(...lineOptions));
    const rest = textsOf(options.operands).join(' ');
    if (texts.length > 0) return texts.map((text) => ({ text: `${text} ${rest}` }));
    const words = options.operands.slice(skip);
    const start = words.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
    const [to] = folder.flatMap((name) => options.values(name));
    if (start === -1) return [];
    return callOf(words.slice(start), to === undefined ? undefined : resolvePath(to.text, cwd, shell.home));
  };
}

/** `bundle exec x`, `uv run x`. */
function followsWord(word: RegExp, skip = 0): Runs {
  return ({ args }) => {
    const at = args.findIndex(({ text }) => word.test(text));
    const { operands } = readOptions(args.slice(at + 1), '-npE env name with python extra group', 'leading');
    return at === -1 ? [] : callOf(operands.slice(skip));
  };
}

function joined(valued: string, isSameShell = false): Runs {
  return ({ args }) => {
    const text = textsOf(readOptions(args, valued, 'leading').operands).join(' ');
    return text.trim() === '' ? [] : [{ text, isSameShell }];
  };
}

function optionLines(valued: string, names?: string): Runs {
  return ({ args }) => linesInOptions(args, valued, names?.split(' '));
}

/** `ssh -o ProxyCommand='x' host`, `scp -S x`. */
function commandsOfSsh({ name, args }: Command): Inner[] {
  const options = readOptions(args, '-bcDEeFIiJLlmOopPQRSWw', name === 'ssh' ? 'leading' : 'anywhere');
  const proxies = partsOf(options.values('o'), /^(?:Proxy|Local|KnownHosts)Command[= ](.*)$/is);
  return linesIn([...proxies, ...(name === 'ssh' ? [] : options.values('S'))]);
}

/** `npm exec -- x`, `npm exec -c 'x'`, `pnpm dlx x`, `yarn exec x`, `bun x y`. */
function unfoldPackageRunner({ name, args }: Command): Inner[] {
  const [subcommand, ...rest] = readOptions(args, '-wC prefix workspace dir filter', 'leading').operands;
  if (!/^(?:exec|x|dlx|explore)$/.test(subcommand?.text ?? '')) return [];
  const isShellMode = name === 'pnpm';
  const options = readOptions(rest, isShellMode ? '-p package call' : '-pc package call', 'leading');
  const texts = linesIn(options.values('c', 'call'));
  const operands = options.operands.slice(subcommand?.text === 'explore' ? 1 : 0).filter(({ text }) => text !== '--');
  if (operands.length === 0) return texts;
  const isLine = operands.length === 1 || (isShellMode && options.has('c', 'shell-mode'));
  const line: Inner = { text: textsOf(operands).join(' ') };
  return [...texts, isLine ? line : { args: operands }];
}
