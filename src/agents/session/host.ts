/**
 * What the loop inside a session needs from the agent that hosts it. A host translates: the agent's hook events come in
 * as one JSON object each, and the loop's answers go out as the JSON that this agent understands. Everything else (the
 * command line, the rules, the messages, the state, the checks, the log) is the same for all hosts.
 *
 * `session-loop.cjs <host>` reads one event on stdin and answers on stdout. A host must not throw on an unknown event,
 * and only reads: it starts no process and writes no file.
 */
import type { JsonObject } from '../reading/json-line.ts';

export const HOST_NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type HostName = (typeof HOST_NAMES)[number];

/** The commands that people type, with their descriptions in an agent's list of commands. */
export const COMMANDS = {
  'ralph-loop': 'Work on a task until it is done: "<task>" --max-iterations <N> --completion-promise "<PROMISE>"',
  'ulw-loop': 'Like ralph-loop, in ultrawork mode',
  'cancel-ralph': 'End the loop in this session immediately',
  'ralph-status': 'Show the progress of the loop in this session',
} as const;

export type SessionCommand = keyof typeof COMMANDS;

/** The timeout that agents give the Stop hook: if it were cut off, the loop would end without a message. */
export const HOOK_SECONDS = 600;

export type Fields = JsonObject;

export interface SessionHost {
  readonly name: HostName;
  /** Null for events that do not concern us: from a subagent, not needed, another command. */
  readEvent(input: Fields): SessionEvent | null;
  /** The mark that means "from now on", for the start of a loop. */
  markNow(event: SessionEvent): Mark;
  /** What the agent has done and said since the mark; reads only what is new. */
  workSince(event: StopEvent, mark: Mark): WorkSeen;
  say(event: SessionEvent, answer: SessionAnswer): string;
  /** A folder that the agent can always read; absent or null if it can read any file, or none is known. */
  readableFolder?(event: SessionEvent): string | null;
  /** The longest text that reaches the agent uncut; a longer task goes into a file, and the prompt names it. */
  readonly longestText: number;
  readonly unit: 'characters' | 'bytes';
  /** How many times in a row, without a tool call, the host lets a hook refuse a stop; absent or null if always. */
  cap?(environment: NodeJS.ProcessEnv): BlockCap | null;
  typing(environment: NodeJS.ProcessEnv): Typing;
  /** Why no loop can begin in this session; null when one can. */
  obstacle?(session: string, environment: NodeJS.ProcessEnv): string | null;
  /** For an agent that can stop calling its model, so that its turns produce nothing more: a sentence that says why. */
  readonly fallsSilent?: string;
}

export interface Typing {
  /** The prefix of a command's name: commands of a plugin have the plugin's name in it. */
  readonly slash: '/' | '/ralph:' | '$';
  /** The agent accepts no command while it works: its turn must be interrupted with Esc first. */
  readonly needsEsc: boolean;
}

export interface BlockCap {
  readonly blocks: number;
  /** One line for people: what to set, and where. `needed` is how many blocks this loop may need. */
  howToLift(needed: number): string;
}

/** How far a transcript has been read. `offset` is in the host's own unit, such as bytes or the time of a message. */
export interface Mark {
  readonly transcript: string | null;
  readonly offset: number;
}

export interface HeardInSession {
  readonly session: string;
  readonly cwd: string;
  readonly transcript: string | null;
  readonly raw: Fields;
}

export type SessionEvent =
  | CommandEvent
  | StopEvent
  /** The agent may have lost its instructions: its context was compacted, or the session was closed and resumed. */
  | (HeardInSession & { readonly on: 'context-renewed' })
  /** A tool was run, in a session that has no transcript to show it. */
  | (HeardInSession & { readonly on: 'tool-run' });

/** One of our commands; `args` is everything after its name, exactly as typed. */
export interface TypedCommand {
  readonly command: SessionCommand;
  readonly args: string;
}

export interface CommandEvent extends HeardInSession, TypedCommand {
  readonly on: 'command';
}

export interface StopEvent extends HeardInSession {
  readonly on: 'stop';
  /** The agent's last message; null if the host does not pass it on (then `texts` of `workSince` must hold it). */
  readonly words: string | null;
  /** A person has written to the agent since it was last sent back. A host with a cap starts counting again here. */
  readonly isFresh: boolean;
  /** Programs that the agent left running; the host wakes it up when one ends. Absent if the host reports none. */
  readonly background?: readonly { readonly id: string; readonly what: string }[];
}

export interface WorkSeen {
  /**
   * Tool calls that were carried out; denied ones do not count. Null if the host cannot tell: then output or a changed
   * tree counts as evidence.
   */
  readonly toolCalls: number | null;
  /** A command printed something, or a file was changed. */
  readonly hasOutput: boolean;
  /**
   * The agent's own texts since a person last wrote to it, oldest first; without tool output, the echoed prompt, hook
   * feedback and the words of subagents.
   */
  readonly texts: readonly string[];
  readonly mark: Mark;
}

export type SessionAnswer =
  | { readonly kind: 'nothing' }
  /** A command was accepted: the context goes to the agent, the notice to the person. */
  | { readonly kind: 'tell'; readonly context: string; readonly notice: string | null }
  /** The command is not passed on to the agent; the person sees the message: a refusal or, for example, a status. */
  | { readonly kind: 'reply'; readonly message: string; readonly refused: boolean }
  /** The agent must continue: it gets the prompt, the person gets the notice. */
  | { readonly kind: 'go-on'; readonly prompt: string; readonly notice: string }
  | { readonly kind: 'stop'; readonly notice: string | null };
