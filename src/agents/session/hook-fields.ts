/** What the hooks of several agents share: the fields of every event, typed commands, and the format of an answer. */
import { objectFrom } from '../reading/json-line.ts';
import {
  COMMANDS,
  type Fields,
  type HeardInSession,
  type Mark,
  type SessionAnswer,
  type SessionCommand,
  type SessionEvent,
  type SessionHost,
  type StopEvent,
  type TypedCommand,
  type WorkSeen,
} from './host.ts';
import { newLines } from './transcript-lines.ts';

type Meaning = (heard: HeardInSession) => SessionEvent | null;

/** Reads a hook's event by its name. Null if the event is not needed, has no session, or comes from a subagent. */
export function eventReader(meanings: Readonly<Record<string, Meaning>>): SessionHost['readEvent'] {
  const known = new Map(Object.entries({ SessionStart: renewed, ...meanings }));
  return (raw) => {
    const { session_id: session, cwd, transcript_path: transcript, agent_id: subagent, hook_event_name: name } = raw;
    if (typeof session !== 'string' || subagent !== undefined) return null;
    const heard = { session, cwd: textOf(cwd) ?? process.cwd(), transcript: textOf(transcript), raw };
    return known.get(textOf(name) ?? '')?.(heard) ?? null;
  };
}

function renewed(heard: HeardInSession): SessionEvent | null {
  const { source } = heard.raw;
  return source === 'resume' || source === 'compact' ? { on: 'context-renewed', ...heard } : null;
}

export function stopped(heard: HeardInSession, words: string | null): StopEvent {
  return { on: 'stop', ...heard, words, isFresh: heard.raw.stop_hook_active !== true };
}

/** Finds one of our commands at the start of what a person typed; `signs` is a pattern for what precedes its name. */
export function typedCommand(signs: string, text: string): TypedCommand | null {
  const names = Object.keys(COMMANDS).join('|');
  const found = new RegExp(String.raw`^\s*${signs}(${names})(?=\s|$)`).exec(text);
  if (found === null) return null;
  return { command: found[1] as SessionCommand, args: text.slice(found[0].length) };
}

/** What `workIn` finds in the transcript's new lines; without a transcript, nothing is known. */
export function workInTranscript(
  { transcript }: StopEvent,
  mark: Mark,
  workIn: (lines: readonly Fields[]) => Omit<WorkSeen, 'mark'>,
): WorkSeen {
  const read = newLines(transcript, mark);
  if (read === null) return { toolCalls: null, hasOutput: false, texts: [], mark };
  return { ...workIn(read.lines), mark: read.mark };
}

/**
 * The answer in the format that most agents read. `refuse` is the host's word for refusing a stop; `reply` says how it
 * keeps a prompt from the model.
 */
export function hookAnswer(
  { raw }: SessionEvent,
  answer: SessionAnswer,
  refuse: 'block' | 'deny',
  reply = (message: string): Fields => ({ decision: refuse, reason: message }),
): string {
  switch (answer.kind) {
    case 'nothing':
      return '';
    case 'tell': {
      const hookSpecificOutput = { hookEventName: raw.hook_event_name, additionalContext: answer.context };
      return line({ hookSpecificOutput, ...noticed(answer.notice) });
    }
    case 'reply':
      return line(reply(answer.message));
    case 'go-on':
      return line({ decision: refuse, reason: answer.prompt, ...noticed(answer.notice) });
    case 'stop':
      return answer.notice === null ? '' : line(noticed(answer.notice));
  }
}

function noticed(notice: string | null): Fields {
  return notice === null ? {} : { systemMessage: notice };
}

function line(value: Fields): string {
  return `${JSON.stringify(value)}\n`;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A message's content is either a string or a list of parts with one text each. */
export function textIn(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content) ?? '';
  return content.map((part) => textOf(objectFrom(part).text) ?? '').join('');
}
