/** An agent in a terminal: whether a command is one, how to read its screen, and which fault its last lines report. */
import { basename } from 'node:path';
import type { Fault } from '../core/outcome.ts';
import type { Instant } from '../core/time.ts';
import type { PaneAgent } from '../tmux/ready.ts';
import { AGENTS, profileFor } from './index.ts';

const ALWAYS = ['-h', '--help', '-v', '-V', '--version'];

/** The program's base name, without its path and without `env`. */
export function programOf(command: readonly string[]): string {
  return basename(withoutEnv(command)[0] ?? '');
}

/** Only an interactive agent has a screen to wait for; any other command gets its prompt immediately. */
export function paneAgent(command: readonly string[]): PaneAgent {
  const [program = '', ...args] = withoutEnv(command);
  const { readsStdin = {}, terminal } = profileFor(program);
  const flags = [...ALWAYS, ...(readsStdin.flags ?? []), ...(terminal?.headlessFlags ?? [])];
  const words = [...(readsStdin.words ?? []), ...(terminal?.subcommands ?? [])];
  const isHeadless = args.some((arg) => flags.includes(arg.split('=')[0] ?? '')) || words.includes(args[0] ?? '');
  return {
    screen: isHeadless ? null : (terminal?.screen ?? null),
    dialogs: AGENTS.flatMap((agent) => agent.terminal?.dialogs ?? []),
    readyLines: AGENTS.flatMap((agent) => agent.terminal?.readyLines ?? []),
  };
}

/** What precedes an agent's own text: a bullet, a frame, the corner below a tool's name. */
const DECORATION = /^[\s\u2500-\u259f⎿●■•◦✕✗×⚠❯›>|]+/u;
/** The agent has recovered from a fault that has scrolled further up. */
const LAST_LINES = 20;

export function faultOnScreen(command: readonly string[], text: string, now: Instant): Fault | null {
  const { faultIn } = profileFor(withoutEnv(command)[0] ?? '').terminal ?? {};
  if (faultIn === undefined) return null;
  const lines = text.split('\n').map((line) => line.replace(DECORATION, '').trim());
  const last = lines.filter((line) => line !== '').slice(-LAST_LINES);
  return last.map((line) => faultIn(line.slice(0, 500), now)).findLast((fault) => fault !== null) ?? null;
}

/** A pane gets its variables through `env KEY=VALUE … program`. */
function withoutEnv(command: readonly string[]): readonly string[] {
  if (basename(command[0] ?? '') !== 'env') return command;
  const at = command.findIndex((word, index) => index > 0 && !/^[A-Za-z_]\w*=/.test(word));
  return at < 0 ? [] : command.slice(at);
}
