/** `ralph session`: starts an agent with a loop inside its session, which the agent's hooks drive. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AGENTS } from '../agents/index.ts';
import { withModel } from '../agents/installed.ts';
import { INSTALLATIONS, launch } from '../agents/session/installations.ts';
import { readEnvironment } from '../config/environment.ts';
import type { Ending } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { isOver } from '../core/state.ts';
import { formatDuration } from '../core/text/duration.ts';
import { nearest } from '../core/text/nearest.ts';
import { quoteWords } from '../core/text/quote-word.ts';
import { abortAfter } from '../engine/performers/limits.ts';
import { treeFingerprint } from '../hooks/io/git.ts';
import { contractFor, isLong } from '../loops/session/messages.ts';
import { FLAGS, type FlagName, flagsOf, requestFrom, type SessionRequest } from '../loops/session/request.ts';
import { iterationOf, statusOfSession } from '../loops/session/rules.ts';
import { beginSessionLoop, forgetActive, readSessionLoop, tellingIn } from '../loops/session/store.ts';
import { endNotice, sessionClosing } from '../loops/session/wording.ts';
import { findPlugin } from '../loops/stories/project.ts';
import { findProgram } from '../process/which.ts';
import { workState } from '../scm/git.ts';
import { lineWidth } from './terminal/line-width.ts';
import { printClosing } from './terminal/words.ts';
import { exitCodeOf } from './terminal.ts';

/** The flags of a loop inside a session, as commander names them. */
export interface SessionFlags {
  readonly prompt: string;
  readonly ultrawork?: boolean;
  readonly agent?: string;
  readonly model?: string;
  /** In milliseconds. */
  readonly timeout?: number;
  readonly [flag: string]: string | number | boolean | readonly string[] | undefined;
}

/** No lock is needed, because no other process knows the id of the new session. */
const UNLOCKED = { release: () => undefined };

export async function sessionCommand(flags: SessionFlags, words: readonly string[], release: string): Promise<number> {
  const { variables, mask, root, color } = readEnvironment();
  const cwd = process.cwd();
  const [name = flags.agent ?? launch.name, ...given] = words;
  const args = flags.model === undefined ? given : withModel(launch.name, given, flags.model);
  refuseOtherPrograms(name);
  const plugin = pluginFolder(variables.RALPH_PLUGIN_DIR);
  const program = findProgram(name, variables.PATH, cwd);
  const hint = `Install ${launch.title}, or give its path after --`;
  if (program === null) throw new RalphError('NO_AGENT', `cannot find ${name}`, { hint });
  launch.refuse(args);
  const session = randomUUID();
  const place = { root, session };
  const request = requestOf(flags);
  const mark = { transcript: null, offset: 0 };
  const start = { request, host: launch.name, mark, tree: treeFingerprint(cwd) };
  const { folder } = beginSessionLoop(UNLOCKED, place, start, { cwd, release, mask });

  // The agent gets access to this part of the loop's folder only.
  const readable = isLong(request.task, launch) ? join(folder, 'readable') : null;
  const prompt = contractFor(request, tellingIn(readable, launch, folder, request.task));
  const environment = launch.environment(request.maximumIterations);
  process.on('SIGINT', stay);
  let code: number | null;
  let timer: SessionTimer | null = null;
  try {
    const child = spawn(program, [...args, ...launch.begin(session, plugin, prompt, readable)], {
      stdio: 'inherit',
      // The plugin's hooks use the same node as this process.
      env: { ...variables, ...environment, RALPH_NODE: process.execPath },
    });
    timer = flags.timeout === undefined ? null : sessionTimer(child, flags.timeout);
    [code] = (await once(child, 'exit')) as [number | null];
  } catch (error) {
    // There is no session, so delete the loop.
    forgetActive(place);
    rmSync(folder, { recursive: true, force: true });
    const hint = 'Give the path of a program that can be run after --';
    throw new RalphError('NO_AGENT', `cannot start ${program}: ${(error as Error).message}`, { hint });
  } finally {
    timer?.stop();
    process.off('SIGINT', stay);
  }

  const state = readSessionLoop(folder);
  const iterations = iterationOf(state);
  const settings = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`);
  const how = isOver(state)
    ? (endNotice(state, launch.typing, null) ?? `Ralph loop: ${statusOfSession(state)} at iteration ${iterations}.`)
    : timer?.isUp() === true
      ? `The session was ended at iteration ${iterations}: it took ${formatDuration(flags.timeout ?? 0)} (--timeout).`
      : `The session ended at iteration ${iterations}, before the loop did.`;
  process.stderr.write(`${how}\n`);
  const closing = sessionClosing(state, {
    work: await workState(state.data.last?.worktree ?? cwd, { env: variables }, ''),
    folder,
    resume: [...settings, quoteWords([name, ...launch.resume(args, session, plugin)])].join(' '),
    again: (request) => quoteWords(['ralph', 'session', ...wordsOf(request), ...ownWords(flags), '--', name, ...args]),
  });
  const { stderr } = process;
  const width = lineWidth(stderr);
  printClosing(closing, (line) => stderr.write(`${line}\n`), color && stderr.isTTY, { width });
  const codeOf = (ending: Ending): number => exitCodeOf({ kind: 'ended', ending }, 'session');
  if (isOver(state)) return codeOf(state.phase.ending);
  return code === null || code === 0 ? codeOf({ kind: 'kept-failing', failures: 1 }) : code;
}

/** The words of the command line that start the same loop. */
function wordsOf(request: SessionRequest): string[] {
  const flags = flagsOf(request).flatMap(({ name, value }) => [`--${name}`, value]);
  return ['-p', request.task, ...flags, ...(request.ultrawork ? ['--ultrawork'] : [])];
}

/** The words that are not part of the loop's request. */
function ownWords({ timeout }: SessionFlags): string[] {
  return timeout === undefined ? [] : ['--timeout', formatDuration(timeout)];
}

function requestOf(flags: SessionFlags): SessionRequest {
  const given = (Object.keys(FLAGS) as FlagName[]).flatMap((name) => {
    const option = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const value = flags[option] ?? [];
    return [value].flat().map((one) => ({ name, value: String(one) }));
  });
  return requestFrom(given, flags.prompt, flags.ultrawork === true);
}

/** The hooks of the plugin drive the loop, and its commands steer it. */
function pluginFolder(given: string | undefined): string {
  const folder = findPlugin(import.meta.dirname, given);
  if (folder !== null) return folder;
  const hint = 'Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.';
  throw new RalphError('NO_PLUGIN', 'the ralph plugin, whose hooks run the loop, was not found', { hint });
}

/** Other agents do not know its flags; some host the loop themselves. A wrapper must have its name in its own. */
function refuseOtherPrograms(name: string): void {
  const program = basename(name);
  if (program.includes(launch.name)) return;
  const hosts = Object.keys(INSTALLATIONS).filter((host) => host !== launch.name);
  const isAgent = AGENTS.some((profile) => profile.name === program);
  const hint = hosts.includes(program)
    ? `Run: ralph install-hooks ${program}; then type /ralph-loop in ${program}`
    : isAgent
      ? `To run ${program} in a loop, with a fresh context each time: ralph run`
      : `For ${hosts.slice(0, -1).join(', ')} or ${hosts.at(-1)}: ralph install-hooks <agent>`;
  const meant = nearest(program, [launch.name]) === null ? '' : `; did you mean ${launch.name}?`;
  throw new RalphError('NO_AGENT', `ralph session starts ${launch.title}, not ${program}${meant}`, { hint });
}

/** Between SIGTERM, on which the agent restores the terminal, and SIGKILL. */
const GRACE_MS = 5000;

interface SessionTimer {
  isUp(): boolean;
  stop(): void;
}

function sessionTimer(child: ChildProcess, limitMs: number): SessionTimer {
  let isUp = false;
  let grace: NodeJS.Timeout | undefined;
  const time = abortAfter(limitMs);
  const end = (): void => {
    isUp = true;
    child.kill('SIGTERM');
    grace = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  time.addEventListener('abort', end);
  return {
    isUp: () => isUp,
    stop: () => {
      time.removeEventListener('abort', end);
      clearTimeout(grace);
    },
  };
}

function stay(): void {
  // Ctrl-C goes to the whole process group: the session decides what it does, and we stay to say how it ended.
}
