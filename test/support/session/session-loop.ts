/** Calls the built hook of the loop inside a session as a host does: one process per event, JSON on stdin. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Recorded } from '../../../src/core/record.ts';
import { parseJournal } from '../../../src/state/journal.ts';
import { testFolder } from '../folder.ts';
import { type Exited, startProgram } from '../programs/program.ts';

/** The words by which an agent says that it is done. */
export const DONE = '<promise>DONE</promise>';

export const SESSION_HOOK = resolve(import.meta.dirname, '../../../dist/hooks/session-loop.cjs');

export interface HookedSession {
  readonly id: string;
  /** The project. */
  readonly work: string;
  readonly state: string;
  readonly transcript: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Passes an event to the hook as it is. */
  hear(input: Readonly<Record<string, unknown>>, calling?: Calling): Promise<Exited>;
  type(command: string, args?: string, calling?: Calling): Promise<Answer>;
  /** The agent ends its turn with these words, after this many tool calls; the transcript has them already. */
  stop(words: string, given?: Turn, calling?: Calling): Promise<Answer>;
  /** Puts lines into the transcript. */
  write(...lines: readonly unknown[]): void;
  folder(): string;
  journal(): Recorded[];
  log(): string;
  isActive(): boolean;
}

export interface Calling {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | AsyncIterable<string>;
  readonly front?: readonly string[];
  /** Where the session is, if not in its project's top folder. */
  readonly cwd?: string;
}

export interface Turn {
  readonly toolCalls?: number;
  readonly input?: Readonly<Record<string, unknown>>;
  /** The transcript does not contain the last words yet. */
  readonly isLate?: boolean;
}

export interface Answer {
  readonly decision?: string;
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}

export interface SessionOptions {
  readonly id?: string;
  readonly work?: string;
  readonly state?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export function hookedSession(options: SessionOptions = {}): HookedSession {
  const { id = randomUUID(), work = testFolder(), state = testFolder() } = options;
  const transcript = join(testFolder(), `${id}.jsonl`);
  const env = { PATH: process.env.PATH, HOME: state, XDG_STATE_HOME: state, ...options.env };
  const hear: HookedSession['hear'] = (input, { env: more = {}, stdin, front = [], cwd = work } = {}) => {
    const [command, ...args] = [...front, process.execPath, SESSION_HOOK, 'claude'];
    const given = { session_id: id, transcript_path: transcript, cwd, ...input };
    return startProgram([command, ...args], {
      cwd: work,
      env: { ...env, CLAUDE_CODE_SESSION_ID: id, ...more },
      stdin: stdin ?? JSON.stringify(given),
    }).exited;
  };
  const write: HookedSession['write'] = (...lines) => {
    for (const line of lines) appendFileSync(transcript, `${JSON.stringify(line)}\n`);
  };
  const folder = (): string => {
    const loops = join(state, 'ralph/loops');
    const names = existsSync(loops) ? readdirSync(loops).filter((name) => name.startsWith(`session-${id}`)) : [];
    return join(loops, names.sort().at(-1) ?? 'none');
  };
  return {
    id,
    work,
    state,
    transcript,
    env,
    hear,
    write,
    folder,
    type: async (command, args = '', calling = {}) =>
      answerOf(
        await hear(
          {
            hook_event_name: 'UserPromptExpansion',
            command_name: command,
            command_args: args,
            command_source: 'plugin',
          },
          calling,
        ),
      ),
    stop: async (words, { toolCalls = 0, input = {}, isLate = false } = {}, calling = {}) => {
      for (let call = 0; call < toolCalls; call++)
        write(assistant({ type: 'tool_use', id: `t${call}`, name: 'Bash', input: {} }));
      if (!isLate) write(assistant({ type: 'text', text: words }));
      return answerOf(
        await hear(
          { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: words, ...input },
          calling,
        ),
      );
    },
    journal: () => parseJournal(readFileSync(join(folder(), 'journal.jsonl')), 'journal').records,
    log: () => readFileSync(join(folder(), 'loop.log'), 'utf8'),
    isActive: () => existsSync(join(state, 'ralph/sessions', id)),
  };
}

/** A line of Claude Code's transcript. */
export function assistant(...content: readonly unknown[]): unknown {
  return { type: 'assistant', isSidechain: false, message: { role: 'assistant', content } };
}

/** What a person typed. */
export function person(content: string): unknown {
  return { type: 'user', isSidechain: false, message: { role: 'user', content }, promptSource: 'typed' };
}

/** What a tool answered. */
export function toolResult(result: Readonly<Record<string, unknown>>): unknown {
  const content = [{ type: 'tool_result', ...result }];
  return { type: 'user', isSidechain: false, message: { role: 'user', content } };
}

/** The answer as the host reads it; no output is an empty answer. */
export function answerOf({ code, stdout, stderr }: Exited): Answer {
  if (code !== 0 || stderr !== '') throw new Error(`the hook ended with ${code} and said ${stderr}`);
  return stdout === '' ? {} : (JSON.parse(stdout) as Answer);
}
