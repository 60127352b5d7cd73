/** `ralph session`: starts Claude Code with a loop inside its session, which its hooks turn. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readEnvironment } from '../config/environment.ts';
import { EXIT_CODES } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { isOver } from '../core/state.ts';
import { maskFor } from '../core/text/mask.ts';
import { treeFingerprint } from '../hooks/session/fingerprint.ts';
import { tellingIn } from '../hooks/session/messages.ts';
import { beginLoop, forgetActive, readLoop, sessionPlace } from '../hooks/session/store.ts';
import { sessionClosing } from '../loops/session/closing.ts';
import type { FlagName } from '../loops/session/flag-words.ts';
import { flagsOf, requestFrom } from '../loops/session/flags.ts';
import { shellLine } from '../loops/session/hosts/host-files.ts';
import { contractFor, isLong } from '../loops/session/messages.ts';
import type { SessionRequest } from '../loops/session/request.ts';
import { iterationOf, statusOfSession } from '../loops/session/rules.ts';
import { endNotice } from '../loops/session/wording.ts';
import { findPlugin } from '../loops/stories/commands/plugin-folder.ts';
import { findProgram } from '../process/which.ts';
import { workState } from '../scm/work-state.ts';
import { closingPrinter } from './closing-printer.ts';

export interface SessionFlags {
  readonly prompt: string;
  readonly maxIterations: number;
  readonly completionPromise: string;
  readonly minToolCalls?: string;
  readonly onPromiseNoWork?: string;
  readonly promisePosition?: string;
  readonly stuckAfter?: string;
  readonly check?: readonly string[];
  readonly checkTimeout?: string;
  readonly ultrawork?: boolean;
}

const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';
/** They know none of Claude Code's flags; those of the second list host the loop themselves. */
const OTHER_AGENTS = ['codex', 'gemini', 'opencode', 'amp', 'copilot', 'qwen', 'pi'];
const HOSTS = ['codex', 'gemini', 'opencode'];

/** In bytes. Linux takes 128 KiB as one argument of a program; a longer task is read from its file, which needs leave to be read. */
const IN_ARGUMENT = { longestText: 100_000, unit: 'bytes' } as const;

const PRINT = ['-p', '--print'];

/** How the commands are typed in a session that has our plugin. */
const TYPING = { slash: '/ralph:', needsEsc: true } as const;

/** What would bring another session's history along; old promises stand in it, and work that is not this loop's. */
const OTHER_SESSION = /^(?:--(?:resume|continue|fork-session|from-pr|teleport|session-id)(?:=.*)?|-p*[cr].*)$/s;

export async function sessionCommand(
  flags: SessionFlags,
  command: readonly string[],
  release: string,
): Promise<number> {
  const { variables, root, color } = readEnvironment();
  const cwd = process.cwd();
  const [name = 'claude', ...args] = command;
  refuseOtherAgents(name);
  const plugin = pluginFolder(variables.RALPH_PLUGIN_DIR);
  const program = findProgram(name, variables.PATH, cwd);
  if (program === null) {
    throw new RalphError('NO_AGENT', `cannot find ${name}`, {
      hint: 'Install Claude Code, or give its path after --',
      exitCode: 2,
    });
  }
  refuseOtherSession(args);
  refuseOtherPrompt(args);
  const session = randomUUID();
  const place = sessionPlace(root, session);
  if (place === null) throw new Error(`"${session}" is no session's name`);
  const request = requestOf(flags);
  const mark = { transcript: null, offset: 0 };
  const start = { request, host: 'claude', mark, tree: treeFingerprint(cwd) };
  const { folder } = beginLoop(place, start, { cwd, release, now: Date.now(), mask: maskFor(variables) });

  // The rest of the loop's folder is none of the agent's business.
  const readable = isLong(request.task, IN_ARGUMENT) ? join(folder, 'readable') : null;
  const prompt = contractFor(request, tellingIn(readable, IN_ARGUMENT, folder, request.task));
  const leave = readable === null ? [] : ['--add-dir', readable];
  // Claude Code overrules a hook that has refused to let it stop so many times in a row.
  const cap = String(request.maximumIterations + 1);
  process.on('SIGINT', stay);
  let code: number | null;
  try {
    const child = spawn(program, [...args, ...leave, '--session-id', session, '--plugin-dir', plugin, prompt], {
      stdio: 'inherit',
      // The plugin's hooks run on the node that we run on.
      env: { ...variables, [CAP]: cap, RALPH_NODE: process.execPath },
    });
    [code] = (await once(child, 'exit')) as [number | null];
  } catch (error) {
    // There is no session, so there is no loop in it.
    forgetActive(place);
    rmSync(folder, { recursive: true, force: true });
    throw new RalphError('NO_AGENT', `cannot start ${program}: ${(error as Error).message}`, {
      hint: 'Give the path of a program that can be run after --',
      exitCode: 2,
    });
  } finally {
    process.off('SIGINT', stay);
  }

  const state = readLoop(folder);
  const iterations = iterationOf(state);
  const goOn = [name, ...args, '--plugin-dir', plugin, '--resume', session, ...(isHeadless(args) ? ['Go on.'] : [])];
  const how = isOver(state)
    ? (endNotice(state, TYPING, null) ?? `Ralph loop: ${statusOfSession(state)} at iteration ${iterations}.`)
    : `The session ended at iteration ${iterations}, before the loop did.`;
  process.stderr.write(`${how}\n`);
  const closing = sessionClosing(state, {
    work: await workState(state.data.worktree ?? cwd, { env: variables }, ''),
    logOf: (log) => join(folder, log),
    continuing: {
      resume: `${CAP}=${cap} ${shellLine(goOn)}`,
      again: (request) => shellLine(['ralph', 'session', ...wordsOf(request), '--', name, ...args]),
    },
  });
  closingPrinter((line) => process.stderr.write(`${line}\n`), color && process.stderr.isTTY)(closing);
  if (isOver(state)) return EXIT_CODES[state.phase.ending.kind];
  return code === null || code === 0 ? EXIT_CODES['kept-failing'] : code;
}

/** The words that ask for the same loop. */
function wordsOf(request: SessionRequest): string[] {
  const flags = flagsOf(request).flatMap(({ name, value }) => [`--${name}`, value]);
  return ['-p', request.task, ...flags, ...(request.ultrawork ? ['--ultrawork'] : [])];
}

function requestOf(flags: SessionFlags): SessionRequest {
  const given: [FlagName, string | undefined][] = [
    ['max-iterations', String(flags.maxIterations)],
    ['completion-promise', flags.completionPromise],
    ['min-tool-calls', flags.minToolCalls],
    ['on-promise-no-work', flags.onPromiseNoWork],
    ['promise-position', flags.promisePosition],
    ['stuck-after', flags.stuckAfter],
    ['check-timeout', flags.checkTimeout],
    ...(flags.check ?? []).map((command): [FlagName, string] => ['check', command]),
  ];
  const stated = given.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const request = requestFrom(stated, flags.prompt, flags.ultrawork === true);
  if (!('wrong' in request)) return request;
  throw new RalphError('SESSION_FLAGS', request.wrong, { hint: 'See: ralph session --help', exitCode: 2 });
}

/** Claude Code takes the first prompt that it finds, and the task would never reach it. */
function refuseOtherPrompt(args: readonly string[]): void {
  const text = args.find((arg, index) => PRINT.includes(args[index - 1] ?? '') && !arg.startsWith('-'));
  if (text === undefined) return;
  throw new RalphError('SESSION_FLAGS', `"${text}" would be Claude Code's prompt instead of the loop's task`, {
    hint: 'The task is what stands behind the -p of ralph session; behind -- claude a -p stands alone',
    exitCode: 2,
  });
}

function isHeadless(args: readonly string[]): boolean {
  return args.some((arg) => PRINT.includes(arg));
}

function refuseOtherSession(args: readonly string[]): void {
  const flag = args.find((arg) => OTHER_SESSION.test(arg));
  if (flag === undefined) return;
  throw new RalphError('SESSION_FLAGS', `ralph session begins a session of its own, which ${flag} would not be`, {
    hint: 'To loop in a session that exists, open it with Claude Code and our plugin, and type /ralph:ralph-loop there',
    exitCode: 2,
  });
}

/** Its hooks turn the loop, and its commands steer it. */
function pluginFolder(given: string | undefined): string {
  const folder = findPlugin(import.meta.dirname, given);
  if (folder !== null) return folder;
  throw new RalphError('NO_PLUGIN', 'the ralph plugin was not found, whose hooks turn the loop', {
    hint: 'Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.',
    exitCode: 2,
  });
}

function refuseOtherAgents(name: string): void {
  const agent = basename(name);
  if (!OTHER_AGENTS.includes(agent)) return;
  const hint = HOSTS.includes(agent)
    ? `Run: ralph install-hooks ${agent}; then type the loop's command in ${agent}`
    : 'A loop of fresh contexts works with it: ralph run';
  throw new RalphError('NO_AGENT', `ralph session starts Claude Code, not ${agent}`, { hint, exitCode: 2 });
}

function stay(): void {
  // The terminal sends its signals to the whole group: the session decides, and we stay to tell how it ended.
}
