/**
 * What the loop inside a session asks of the agent that hosts it. A host translates: the agent's hook events come in as one
 * JSON object each, and the loop's answers go out as the JSON that this agent understands. Everything else (the command
 * line, the rules, the messages, the state, the checks, the log) is the same for all of them.
 *
 * `session-loop.cjs <host>` reads one event on stdin and answers on stdout. A host must not throw for an event that it does
 * not know, and only reads: it starts no process and writes no file.
 */
import type { JsonObject } from '../reading/json-line.ts';

export const HOST_NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type HostName = (typeof HOST_NAMES)[number];

/** The commands that people type, and what an agent's list of commands says of each. */
export const COMMANDS = {
  'ralph-loop': 'Work on a task until it is done: "<task>" --max-iterations <N> --completion-promise "<PROMISE>"',
  'ulw-loop': 'The same as ralph-loop, in ultrawork mode',
  'cancel-ralph': 'End the loop of this session now',
  'ralph-status': 'Show how far the loop of this session is',
} as const;

export type SessionCommand = keyof typeof COMMANDS;

/** The time that agents are told to give the Stop hook: one that is cut off would end the loop without a word. */
export const HOOK_SECONDS = 600;

export type Fields = JsonObject;

export interface SessionHost {
  readonly name: HostName;
  /** Null: none of our business (a subagent, an event that is not needed, another command). */
  readEvent(input: Fields): SessionEvent | null;
  /** The mark that means "from now on", when a loop begins. */
  markNow(event: SessionEvent): Mark;
  /** What the agent has done and said since the mark; reads only what is new. */
  workSince(event: StopEvent, mark: Mark): WorkSeen;
  say(event: SessionEvent, answer: SessionAnswer): string;
  /** Where the agent may read whatever its permissions are; absent or null where it may read any file, or no such place is known. */
  readableFolder?(event: SessionEvent): string | null;
  /** The longest text that reaches the agent whole; a longer task goes into a file that it is told to read. */
  readonly longestText: number;
  readonly unit: 'characters' | 'bytes';
  /** How often in a row, without a tool call, the host lets a hook refuse the end; absent or null for any number. */
  cap?(environment: NodeJS.ProcessEnv): BlockCap | null;
  typing(environment: NodeJS.ProcessEnv): Typing;
  /** Why no loop can begin in this session; null when one can. */
  obstacle?(session: string, environment: NodeJS.ProcessEnv): string | null;
  /** Of an agent that may stop asking its model, so that its turns bring nothing any more: a sentence that says why. */
  readonly fallsSilent?: string;
}

export interface Typing {
  /** What stands before a command's name: a plugin's commands have the plugin's name there. */
  readonly slash: '/' | '/ralph:' | '$';
  /** The agent hears no command while it works: its turn is broken off by a key first. */
  readonly needsEsc: boolean;
}

export interface BlockCap {
  readonly blocks: number;
  /** For people, one line: what to set, and where. `needed` is how many blocks this loop may take. */
  howToLift(needed: number): string;
}

/** How far a transcript has been read. `offset` counts whatever the host counts: bytes, messages. */
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
  /** The agent may have lost what it was told: its context was compacted, or the session was closed and resumed. */
  | (HeardInSession & { readonly on: 'context-renewed' })
  /** A tool was run, in a session whose transcript will not tell it. */
  | (HeardInSession & { readonly on: 'tool-run' });

/** A command of ours; `args` is everything after its name, exactly as it was typed. */
export interface TypedCommand {
  readonly command: SessionCommand;
  readonly args: string;
}

export interface CommandEvent extends HeardInSession, TypedCommand {
  readonly on: 'command';
}

export interface StopEvent extends HeardInSession {
  readonly on: 'stop';
  /** The last message of the agent; null when the host does not hand it over (then `texts` of `workSince` must hold it). */
  readonly words: string | null;
  /** A person has spoken to the agent since it was last sent back. A host with a cap starts counting again from here. */
  readonly isFresh: boolean;
  /** What the agent has left running; the host wakes it up when one has ended. Absent where the host does not tell. */
  readonly background?: readonly { readonly id: string; readonly what: string }[];
}

export interface WorkSeen {
  /** Those that were carried out: what was denied is no work. Null when the host cannot tell: then output or a changed tree must do as evidence. */
  readonly toolCalls: number | null;
  /** A command printed something, a file was changed. */
  readonly hasOutput: boolean;
  /**
   * The agent's own texts since a person last spoke to it, oldest first; never a tool's output, the prompt's echo, a hook's
   * feedback, a subagent's words.
   */
  readonly texts: readonly string[];
  readonly mark: Mark;
}

export type SessionAnswer =
  | { readonly kind: 'nothing' }
  /** A command was taken: the context goes to the agent, the notice to the person. */
  | { readonly kind: 'tell'; readonly context: string; readonly notice: string | null }
  /** The command ends here and is not sent to the agent; the person sees the message. A refusal is one, a status another. */
  | { readonly kind: 'reply'; readonly message: string; readonly refused: boolean }
  /** The agent may not stop: it gets the prompt, the person the notice. */
  | { readonly kind: 'go-on'; readonly prompt: string; readonly notice: string }
  | { readonly kind: 'stop'; readonly notice: string | null };
