/**
 * Gemini CLI as the host of a loop. Measured with 0.61.0: a command file without `{{args}}` passes on the typed text as
 * it is, after the file's own text; text that a hook sends at the end of a turn comes back as the next prompt; the chat
 * file is complete when AfterAgent is called, even after a resume; subagents have their own files. A resumed session
 * has lost the command and the context added to it: only context from its SessionStart hook brings the task back.
 */
import { objectsFrom } from '../reading/json-line.ts';
import {
  eventReader,
  hookAnswer,
  stopped,
  textIn,
  textOf,
  typedCommand,
  workInTranscript,
} from '../session/hook-fields.ts';
import type { Fields, Mark, SessionAnswer, SessionHost, StopEvent, TypedCommand, WorkSeen } from '../session/host.ts';
import { endOf, isBehindLine } from '../session/transcript-lines.ts';

const BRACKETS = 'Angle brackets in this message reach you as entities. Write the promise with real angle brackets.';

export const gemini: SessionHost = {
  name: 'gemini',
  // Texts of this length arrived uncut.
  longestText: 400_000,
  unit: 'characters',
  readEvent: eventReader({
    // The event holds everything said since a person last spoke, old promises included; the chat file shows the news.
    AfterAgent: (heard) => stopped(heard, null),
    BeforeAgent: (heard) => {
      const typed = commandIn(textOf(heard.raw.prompt) ?? '');
      return typed && { on: 'command', ...heard, ...typed };
    },
  }),
  markNow: ({ transcript }) => endOf(transcript),
  workSince: (event, mark) => {
    const work = workInTranscript(event, inNewFile(event, mark) ?? mark, workIn);
    return work.toolCalls === null ? workWithoutFile(event, mark) : work;
  },
  say: (event, answer) => hookAnswer(event, withBrackets(answer), 'deny'),
  typing: () => ({ slash: '/', needsEsc: true }),
  fallsSilent: 'Gemini CLI stops calling its model when answers repeat. A new session can begin the loop again',
};

/** Without a screen, context from SessionStart hooks comes before the prompt. */
const ADDED = /^\s*(?:<hook_context>[\s\S]*?<\/hook_context>\s*)*/;

/** A command file's text is just the command; if more was typed, it follows after an empty line. */
function commandIn(prompt: string): TypedCommand | null {
  const outer = typedCommand('/', prompt.replace(ADDED, ''));
  const inner = outer?.args.startsWith('\n\n/') === true ? typedCommand('/', outer.args) : null;
  return inner !== null && inner.command === outer?.command ? inner : outer;
}

/**
 * When another Gemini CLI starts in the project, it removes chat files that have no text yet, even those of active
 * sessions. Such a session continues in a new file, in which everything is new.
 */
function inNewFile({ transcript }: StopEvent, mark: Mark): Mark | null {
  const isOther = transcript !== null && transcript === mark.transcript && !isBehindLine(transcript, mark.offset);
  return isOther ? { transcript, offset: 0 } : null;
}

function workIn(all: readonly Fields[]): Omit<WorkSeen, 'mark'> {
  // A command that fails is still a successful tool call; an error means that the call was denied or invalid.
  const calls = messagesIn(all)
    .flatMap(({ toolCalls }) => objectsFrom(toolCalls))
    .filter(({ status }) => status !== 'error' && status !== 'cancelled');
  // Anything said before a person last spoke was about something else.
  const since = messagesIn(all.slice(all.findLastIndex(isPersons) + 1));
  return {
    toolCalls: calls.length,
    hasOutput: calls.some(({ resultDisplay }) => resultDisplay !== undefined && resultDisplay !== ''),
    texts: since.map(({ content }) => textIn(content)).filter((text) => text !== ''),
  };
}

/**
 * The agent's own messages. A message is written again, in full, after its tools were called. A line that replaces the
 * whole history has no type; its messages have been in the file before.
 */
function messagesIn(lines: readonly Fields[]): Fields[] {
  const own = lines.filter(({ type }) => type === 'gemini');
  return [...new Map(own.map((message) => [message.id, message])).values()];
}

/** A hook's text at the end of a turn also comes back as the user's; by then, that turn has been read. */
function isPersons({ type, content }: Fields): boolean {
  return type === 'user' && textIn(content) !== '';
}

/** Without a chat file there is only the event's response. It grows until a person speaks, so the mark is a length. */
function workWithoutFile({ raw, isFresh }: StopEvent, { transcript, offset }: Mark): WorkSeen {
  const said = textOf(raw.prompt_response) ?? '';
  const seen = transcript === null ? offset : said.length;
  const news = said.slice(isFresh ? 0 : seen);
  const mark = { transcript: null, offset: said.length };
  return { toolCalls: null, hasOutput: false, texts: news === '' ? [] : [news], mark };
}

/** Context from a hook is escaped as XML: an agent that copies what it sees would never give its promise. */
function withBrackets(answer: SessionAnswer): SessionAnswer {
  return answer.kind === 'tell' ? { ...answer, context: `${answer.context}\n\n${BRACKETS}` } : answer;
}
