/** An agent in a terminal: which command is one, how its screen is read, and what its last words mean. */
import { basename } from 'node:path';
import type { Fault } from '../core/outcome.ts';
import type { Instant } from '../core/time.ts';
import type { PaneAgent } from '../tmux/ready.ts';
import { AGENTS, profileFor } from './index.ts';

const ALWAYS = ['-h', '--help', '-v', '-V', '--version'];

/** The program's own name: `env` and a path before it do not matter. */
export function programOf(command: readonly string[]): string {
  return basename(withoutEnv(command)[0] ?? '');
}

/** Only an interactive agent has a screen to wait for; any other command gets its prompt at once. */
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

/** What stands before an agent's own words: a bullet, a frame, the corner below a tool's name. */
const DECORATION = /^[\s\u2500-\u259f⎿●■•◦✕✗×⚠❯›>|]+/u;
/** A fault that has scrolled further up was got over. */
const LAST_LINES = 20;

export function faultOnScreen(command: readonly string[], text: string, now: Instant): Fault | null {
  const { faultIn } = profileFor(withoutEnv(command)[0] ?? '').terminal ?? {};
  if (faultIn === undefined) return null;
  const lines = text.split('\n').map((line) => line.replace(DECORATION, '').trim());
  const last = lines.filter((line) => line !== '').slice(-LAST_LINES);
  return last.map((line) => faultIn(line.slice(0, 500), now)).findLast((fault) => fault !== null) ?? null;
}

/** `env KEY=VALUE … program` is how a pane is given variables. */
function withoutEnv(command: readonly string[]): readonly string[] {
  if (basename(command[0] ?? '') !== 'env') return command;
  const at = command.findIndex((word, index) => index > 0 && !/^[A-Za-z_]\w*=/.test(word));
  return at < 0 ? [] : command.slice(at);
}
