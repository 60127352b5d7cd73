/**
 * Codex as the host of a loop. Measured with 0.166.0: its screen refuses a command that it does not know, unless a space
 * stands before it or it is called as a skill (`$ralph-loop`); `codex exec` takes it as it is. A resumed session keeps its
 * name and its rollout; the rollout has the last message when Stop is called; a subagent's end is an event of its own.
 */
import { objectFrom } from '../reading/json-line.ts';
import {
  eventReader,
  hookAnswer,
  stopped,
  textIn,
  textOf,
  typedCommand,
  workInTranscript,
} from '../session/hook-fields.ts';
import type { Fields, SessionAnswer, SessionHost, WorkSeen } from '../session/host.ts';
import { endOf } from '../session/transcript-lines.ts';

/** `/ralph-loop`, `$ralph-loop`, and the form of older releases for files of prompts. */
const COMMAND_SIGNS = String.raw`(?:\/(?:prompts:)?|\$)`;

const BRACKETS =
  'Angle brackets in this message reach you as entities. Write the promise with real angle brackets, as you were told when the loop began.';

export const codex: SessionHost = {
  name: 'codex',
  // Beyond 10,000 bytes Codex shows both ends of what a hook says, and the file where it has put the whole.
  longestText: 9_500,
  unit: 'bytes',
  readEvent: eventReader({
    Stop: (heard) => stopped(heard, textOf(heard.raw.last_assistant_message) ?? ''),
    UserPromptSubmit: (heard) => {
      const typed = typedCommand(COMMAND_SIGNS, textOf(heard.raw.prompt) ?? '');
      return typed && { on: 'command', ...heard, ...typed };
    },
    PostToolUse: (heard) => (heard.transcript === null ? { on: 'tool-run', ...heard } : null),
  }),
  markNow: ({ transcript }) => endOf(transcript),
  workSince: (event, mark) => workInTranscript(event, mark, workIn),
  say: (event, answer) => hookAnswer(event, withBrackets(answer), 'block'),
  // Its screen refuses a slash command that it does not know; this one is a skill.
  typing: () => ({ slash: '$', needsEsc: false }),
};

function workIn(lines: readonly Fields[]): Omit<WorkSeen, 'mark'> {
  const items = lines.filter(({ type }) => type === 'response_item').map(({ payload }) => objectFrom(payload));
  const outputs = items.filter(({ type }) => textOf(type)?.endsWith('_call_output'));
  const refused = outputs.filter(({ output }) => NOT_RUN.test(textOf(output) ?? ''));
  const notRun = new Set(refused.map(({ call_id: id }) => id));
  return {
    toolCalls: items.filter(({ type, call_id: id }) => textOf(type)?.endsWith('_call') && !notRun.has(id)).length,
    hasOutput: outputs.some(({ output, call_id: id }) => !notRun.has(id) && isOutput(output)),
    // What was said before a person spoke was said of something else.
    texts: items.slice(items.findLastIndex(isPersons) + 1).flatMap((item) => textBy('assistant', item) || []),
  };
}

/** The answers to calls that were not carried out: denied by a hook, a person or a rule, or no call at all. */
const NOT_RUN =
  /^(?:Command blocked by \w+ hook|unsupported call: |\w+ failed: [^\n]*Rejected\(|[\w ]*rejected by user)/;

/** Codex puts what it says itself in a user's name into tags; that a person has broken a turn off is one of them. */
function isPersons(item: Fields): boolean {
  return item.role === 'user' && /^(?!<)|^<turn_aborted/.test(textBy('user', item)?.trimStart() ?? '<');
}

/** Other agents' messages are of another type, and a hook's are the user's. */
function textBy(one: 'user' | 'assistant', { type, role, content }: Fields): string | null {
  return type === 'message' && role === one && Array.isArray(content) ? textIn(content) : null;
}

/** What a command printed stands behind lines of Codex's own. */
function isOutput(output: unknown): boolean {
  const text = textOf(output) ?? JSON.stringify(output ?? '');
  const [, printed = text] = text.split('\nOutput:\n', 2);
  return printed.trim() !== '';
}

/** What a Stop hook says is put into XML: an agent that repeats what it sees would never give its promise. */
function withBrackets(answer: SessionAnswer): SessionAnswer {
  return answer.kind === 'go-on' ? { ...answer, prompt: `${answer.prompt}\n\n${BRACKETS}` } : answer;
}
