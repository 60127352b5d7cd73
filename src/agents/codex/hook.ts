/**
 * Codex as the host of a loop. Measured with 0.166.0: its screen refuses an unknown command unless a space precedes it
 * or it is called as a skill (`$ralph-loop`); `codex exec` takes it as it is. A resumed session keeps its id and its
 * rollout; the rollout holds the last message when Stop is called; the end of a subagent is a separate event.
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

/** `/ralph-loop`, `$ralph-loop`, and the prefix that older releases give to prompt files. */
const COMMAND_SIGNS = String.raw`(?:\/(?:prompts:)?|\$)`;

const BRACKETS =
  'Angle brackets in this message reach you as entities. Write the promise with real angle brackets, as you were told when the loop began.';

export const codex: SessionHost = {
  name: 'codex',
  // If a hook prints more than 10,000 bytes, Codex shows only both ends, and the file that holds all of it.
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
  // Its screen refuses an unknown slash command; this one is a skill.
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
    // Anything said before a person last spoke was about something else.
    texts: items.slice(items.findLastIndex(isPersons) + 1).flatMap((item) => textBy('assistant', item) || []),
  };
}

/** Results of calls that were not carried out: denied by a hook, a person or a rule, or not valid calls. */
const NOT_RUN =
  /^(?:Command blocked by \w+ hook|unsupported call: |\w+ failed: [^\n]*Rejected\(|[\w ]*rejected by user)/;

/**
 * Messages that Codex itself writes as the user are in tags. `<turn_aborted` is one of them, but means that a person
 * interrupted the turn.
 */
function isPersons(item: Fields): boolean {
  return item.role === 'user' && /^(?!<)|^<turn_aborted/.test(textBy('user', item)?.trimStart() ?? '<');
}

/** Messages of other agents have another type; a hook's have the role `user`. */
function textBy(one: 'user' | 'assistant', { type, role, content }: Fields): string | null {
  return type === 'message' && role === one && Array.isArray(content) ? textIn(content) : null;
}

/** A command's output comes after lines that Codex adds. */
function isOutput(output: unknown): boolean {
  const text = textOf(output) ?? JSON.stringify(output ?? '');
  const [, printed = text] = text.split('\nOutput:\n', 2);
  return printed.trim() !== '';
}

/** Codex escapes a Stop hook's text as XML: an agent that copies what it sees would never give its promise. */
function withBrackets(answer: SessionAnswer): SessionAnswer {
  return answer.kind === 'go-on' ? { ...answer, prompt: `${answer.prompt}\n\n${BRACKETS}` } : answer;
}
