/**
 * A newcomer's machine, in a real terminal: a clone of what is committed here, an empty home, and a `claude` that is a
 * real program without a model. Only the download is left out: the packages of this tree are linked into the clone.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { columnsOf } from '../../../src/stream/columns.ts';
import { ON_DISK } from '../folder.ts';
import { processesOf } from '../programs/processes.ts';
import { startProgram } from '../programs/program.ts';
import { makeScene, ROOT } from '../scene.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';

/** In iteration 1 it says DONE without doing the work. After that, it works until the test lets it finish. */
const CLAUDE = `#!/bin/sh
[ "$1" = --version ] && echo '2.1.0 (Claude Code)' && exit
say() { printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\\n' "$1"; }
case "$RALPH_KEY" in
1/*) say 'All tests pass! <response>DONE</response>' ;;
*)
  say 'A stranger has no name.'
  echo 'hello, stranger' >greeting
  until [ -e "$SCENE/go" ]; do sleep 0.05; done
  say 'Now they pass. <response>DONE</response>' ;;
esac
printf '{"type":"result","subtype":"success","is_error":false,"result":"","total_cost_usd":0.1}\\n'
`;

const PROMPT = '$';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface NewMachine {
  readonly folder: string;
  readonly project: string;
  readonly terminal: Terminal;
  /** Types a line; resolves to its output when the shell asks for the next line. */
  enter(line: string): Promise<string>;
  /** Types a line whose program keeps running; resolves when this is on the screen. */
  begin(line: string, until: string): Promise<void>;
  /** Resolves when the shell asks for the next line. */
  asked(): Promise<void>;
  /** Kills the process whose pid the loop has recorded. */
  killSupervisor(): Promise<void>;
  letGo(): void;
}

export function newMachine(size: Size): NewMachine {
  const { folder } = makeScene({ play: 'exit 1', place: ON_DISK });
  const [bin, home, project, prefix] = ['tools', 'home', 'shop', 'prefix'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [bin, home, project, join(prefix, 'bin'), join(prefix, 'lib/node_modules')])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(bin, 'claude'), CLAUDE);
  chmodSync(join(bin, 'claude'), 0o755);
  const env = {
    PATH: [bin, join(prefix, 'bin'), ...systemFolders()].join(':'),
    HOME: home,
    SCENE: folder,
    TMPDIR: folder,
    // The folder for the links of `npm link`.
    npm_config_prefix: prefix,
    // A sandboxed program cannot write coverage data, and the refusals must not appear in the output.
    NODE_V8_COVERAGE: '',
  };
  makeProject(project, env);
  const given = Object.entries({ ...env, TERM: 'screen-256color', LANG: 'C.UTF-8', PS1: `${PROMPT} ` });
  const shell = `exec env -i ${given.map(([key, value]) => `${key}='${value}'`).join(' ')} bash --norc --noprofile`;
  const terminal = openTerminal({ folder, work: folder, env }, shell, size);
  const lines = (): string[] => terminal.history().split('\n');
  const asked = (): Promise<void> => terminal.until(() => lines().at(-1) === PROMPT);
  /** Waits until the old prompt is no longer the last line. After `clear` there are fewer lines than before. */
  const typed = async (line: string): Promise<number> => {
    await asked();
    const before = lines().length;
    terminal.type(line);
    await terminal.until(() => {
      const now = lines();
      return now.length !== before || now.at(-1) !== PROMPT;
    });
    return before;
  };
  return {
    folder,
    project,
    terminal,
    asked,
    async enter(line) {
      const before = await typed(line);
      await asked();
      const printed = lines().slice(before, -1);
      expectToFit(printed, size);
      return printed.join('\n');
    },
    async begin(line, until) {
      await typed(line);
      await terminal.shows(until);
    },
    async killSupervisor() {
      const program = startProgram([join(prefix, 'bin/ralph'), 'status', '--json'], { cwd: project, env });
      const { pid } = (JSON.parse((await program.exited).stdout) as { supervisor: { pid: number } }).supervisor;
      expect(processesOf(folder).map((found) => found.pid)).toContain(pid);
      process.kill(pid, 'SIGKILL');
    },
    letGo: () => writeFileSync(join(folder, 'go'), ''),
  };
}

/** tmux joins wrapped lines, so a line that wrapped is longer than the terminal is wide. */
export function expectToFit(lines: readonly string[], { columns }: Size): void {
  expect(lines.filter((line) => columnsOf(line) > columns)).toEqual([]);
}

/** Links the packages of this tree into the clone, with the package files of this tree, committed or not. */
export function linkPackages(clone: string): void {
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, file), join(clone, file));
  mkdirSync(join(clone, 'node_modules'));
  const packages = join(ROOT, 'node_modules');
  for (const name of readdirSync(packages)) symlinkSync(join(packages, name), join(clone, 'node_modules', name));
  // Otherwise `npm ci` would install them.
  expect(existsSync(join(packages, '.ralph-installed'))).toBe(true);
}

/** The PATH without what `npm test` has added. */
function systemFolders(): string[] {
  return (process.env.PATH ?? '').split(':').filter((path) => !path.includes('node_modules'));
}

function makeProject(project: string, env: NodeJS.ProcessEnv): void {
  writeFileSync(join(project, 'package.json'), JSON.stringify({ scripts: { test: 'grep stranger greeting' } }));
  writeFileSync(join(project, 'greeting'), 'hello\n');
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: project, env, stdio: 'ignore' });
  git('init');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-m', 'A shop');
}
