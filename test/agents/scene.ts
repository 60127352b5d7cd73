/** Runs the built `ralph rehearse` with real agents on a scripted model: no account, no network but the loopback. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Recorded } from '../../src/core/record.ts';
import type { Script } from '../../src/rehearsal/script/script.ts';
import { parseJournal } from '../../src/state/journal.ts';
import { type Found, processesOf } from '../support/programs/processes.ts';
import { type Exited, type Program, startProgram } from '../support/programs/program.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Of a user who permits more than the default: Claude Code as root, Gemini CLI in a folder that it does not know. */
export const PERMITTED = { IS_SANDBOX: '1', GEMINI_CLI_TRUST_WORKSPACE: 'true' };

/**
 * Claude Code writes its transcript slightly after it starts to work: if the first tool call ends at once, there is no
 * file to measure yet.
 */
export const AWAIT_TRANSCRIPT = 'until grep -q . "$CLAUDE_CONFIG_DIR"/projects/*/*.jsonl; do sleep 0.05; done';

export type AgentName = 'claude' | 'codex' | 'copilot' | 'gemini' | 'opencode' | 'pi' | 'qwen';
/** Test runners. */
type RunnerName = 'jest' | 'mocha';

export interface AgentScene {
  /** Contains everything else. */
  readonly folder: string;
  readonly home: string;
  readonly work: string;
  readonly state: string;
  /** The environment of everything that is started here. */
  readonly env: NodeJS.ProcessEnv;
  /** `ralph rehearse --script … -- ralph <args>`, in a process group of its own, as a terminal does. */
  start(script: Script, args: readonly string[]): Program;
  /** The same, until it exits. */
  rehearse(script: Script, args: readonly string[]): Promise<Exited>;
  /** `ralph rehearse <args>`, with the agents and `ralph` on the PATH. */
  ralphRehearse(args: readonly string[]): Promise<Exited>;
  write(path: string, content: string): void;
  read(path: string): string;
  git(...args: string[]): string;
  /** The ids of all loops. */
  loops(): string[];
  /** The records of the one loop that was run. */
  journal(): Recorded[];
  /** The folder with the transcripts of that loop's runs. */
  runsFolder(): string;
  /** Processes started here that still run. */
  processes(): Found[];
  remove(): void;
}

/** Installs the programs that are missing, and returns the paths of all. */
export function installAgents(...names: readonly (AgentName | RunnerName)[]): string[] {
  const installer = join(ROOT, 'scripts/agents.mjs');
  return execFileSync(process.execPath, [installer, ...names], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

/** A git repository with `files` committed, and each program on the PATH under its own name. */
export function agentScene(
  programs: readonly string[],
  files: Readonly<Record<string, string>>,
  extraEnv: Readonly<Record<string, string>> = {},
): AgentScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-agents-')));
  const [home, work, state, bin] = ['home', 'work', 'state', 'bin'].map((name) => join(folder, name)) as Four;
  for (const made of [home, work, bin, join(folder, 'tmp')]) mkdirSync(made);
  for (const program of programs) symlinkSync(program, join(bin, basename(program)));
  for (const name of ['ralph', 'swarm']) symlinkSync(join(ROOT, `bin/${name}.cjs`), join(bin, name));
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    XDG_STATE_HOME: state,
    // Codex refuses to put the programs for its sandbox into a home inside the temporary folder.
    TMPDIR: join(folder, 'tmp'),
    TMUX_TMPDIR: folder,
    // Without a cache, Copilot unpacks 235 MB.
    COPILOT_PKG_CACHE_HOME: join(homedir(), '.cache/ralph-harness/copilot'),
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
    ...PERMITTED,
    ...extraEnv,
  };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: work, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  git('init', '-b', 'main');
  git('add', '.');
  git('commit', '--allow-empty', '-m', 'begin');

  const loops = (): string[] => readdirSync(join(state, 'ralph/loops'));
  const loopFolder = (): string => join(state, 'ralph/loops', loops()[0] ?? 'none');
  const startRehearse = (args: readonly string[]): Program =>
    startProgram(['ralph', 'rehearse', ...args], { cwd: work, env, detached: true });
  const start = (script: Script, args: readonly string[]): Program => {
    const file = join(folder, 'script.json');
    writeFileSync(file, JSON.stringify(script));
    return startRehearse(['--script', file, '--', 'ralph', ...args]);
  };

  return {
    folder,
    home,
    work,
    state,
    env,
    start,
    rehearse: (script, args) => start(script, args).exited,
    ralphRehearse: (args) => startRehearse(args).exited,
    processes: () => processesOf(folder),
    loops,
    journal: () => parseJournal(readFileSync(join(loopFolder(), 'journal.jsonl')), 'journal').records,
    runsFolder: () => join(loopFolder(), 'runs'),
    write,
    read: (path) => (existsSync(join(work, path)) ? readFileSync(join(work, path), 'utf8') : ''),
    git,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

type Four = [string, string, string, string];
