/** Runs tmux commands as argument arrays; no shell is involved. */
import { execFile } from 'node:child_process';
import { errnoOf } from '../core/error.ts';
import { shellQuote } from '../core/text/quote-word.ts';
import { withoutWorkerMarks } from './worker-mark.ts';

/** Which server: the socket's name for `-L` (null: the default server), or its path once it is known. */
export type Address = { readonly socket: string | null } | { readonly socketPath: string };

export type Tmux = ReturnType<typeof tmuxAt>;

/** An error of tmux, in its own words. */
export class TmuxError extends Error {}

/** Agents draw for the terminal they find; without a client, tmux would give them 80 by 24. */
export const COLUMNS = 200;
export const ROWS = 50;

export function tmuxAt(address: Address, env: NodeJS.ProcessEnv) {
  const own = withoutWorkerMarks(outsideOfTmux(env));
  const prefix = ['-u', ...flagsOf(address)];
  /** `cwd` is where a new window's command starts: in `-c`, tmux would expand formats. `input` is its stdin. */
  const ask = (args: readonly string[], { cwd, input }: { readonly cwd?: string; readonly input?: string } = {}) =>
    new Promise<{ readonly ok: boolean; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const options = { env: own, maxBuffer: 64 * 1024 * 1024, ...(cwd === undefined ? {} : { cwd }) };
      const { stdin } = execFile('tmux', [...prefix, ...args], options, (error, stdout, stderr) => {
        resolve({ ok: error === null, stdout, stderr: stderr.trim() || describe(error) });
      });
      // If tmux refused before reading it, its exit reports that.
      stdin?.on('error', () => undefined).end(input);
    });
  return {
    address,
    /** For programs that need the terminal themselves, such as `attach-session`. */
    prefix,
    env: own,
    ask,
    /** The same, for commands that must not fail. */
    async run(args: readonly string[], input?: string): Promise<string> {
      const { ok, stdout, stderr } = await ask(args, input === undefined ? {} : { input });
      if (!ok) throw new TmuxError(stderr);
      return stdout;
    },
  };
}

/** tmux takes a semicolon at the end of an argument for the end of its command. */
export function literal(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument;
}

/** Without TMUX, so that "the default server" means the same inside and outside tmux. */
export function outsideOfTmux(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { TMUX: _, TMUX_PANE: __, ...rest } = env;
  return rest;
}

/** The shell command of a pipe: appends the pane's output to a file, and creates another file after the last of it. */
export function pipeInto(log: string, piped: string, tidy = ''): string {
  return `cat >>${shellQuote(log)};${tidy} : >${shellQuote(piped)}`;
}

function flagsOf(address: Address): string[] {
  if ('socketPath' in address) return ['-S', address.socketPath];
  return address.socket === null ? [] : ['-L', address.socket];
}

function describe(error: Error | null): string {
  if (error === null) return '';
  if (errnoOf(error) === 'ENOENT') return 'tmux is not installed';
  return errnoOf(error) === 'E2BIG' ? 'the command is too long for tmux' : error.message;
}
