/** What the hooks of several agents have in common: the fields that come in with every event, and how an answer is written. */
import type { SessionAnswer, SessionEvent } from './host.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Heard {
  readonly session: string;
  readonly cwd: string;
  readonly transcript: string | null;
  readonly raw: Fields;
}

/** Null for an event that belongs to no session. */
export function heardIn(input: Fields): Heard | null {
  const { session_id: session, cwd, transcript_path: transcript } = input;
  if (typeof session !== 'string') return null;
  return { session, cwd: textOf(cwd) ?? '', transcript: textOf(transcript), raw: input };
}

/** Of a SessionStart: the session is an old one, or has forgotten much. */
export function isRenewed({ source }: Fields): boolean {
  return source === 'resume' || source === 'compact';
}

/** `refuse` is the host's word for a prompt or an end that it shall not let pass. */
export function hookAnswer(event: SessionEvent, answer: SessionAnswer, refuse: 'block' | 'deny'): string {
  const said = answerFor(event, answer, refuse);
  return said === null ? '' : `${JSON.stringify(said)}\n`;
}

function answerFor({ raw }: SessionEvent, answer: SessionAnswer, decision: 'block' | 'deny'): Fields | null {
  switch (answer.kind) {
    case 'nothing':
      return null;
    case 'tell': {
      const hookSpecificOutput = { hookEventName: raw.hook_event_name, additionalContext: answer.context };
      return { hookSpecificOutput, ...noticed(answer.notice) };
    }
    case 'reply':
      return { decision, reason: answer.message };
    case 'go-on':
      return { decision, reason: answer.prompt, ...noticed(answer.notice) };
    case 'stop':
      return answer.notice === null ? null : noticed(answer.notice);
  }
}

function noticed(notice: string | null): Fields {
  return notice === null ? {} : { systemMessage: notice };
}

export function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' ? (value as Fields) : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
