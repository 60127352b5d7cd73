/**
 * Gemini CLI as the host of a loop. Measured with 0.61.0: a command file without `{{args}}` hands on what was typed as it
 * is, behind its own text; what the agent is told at the end of its turn comes back as the prompt of the next one; its
 * chat file has everything when AfterAgent is called, also after a session was resumed; subagents have files of their own.
 * A resumed session has lost the command and what was added to it: only what is told at its start brings the task back.
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
  // So many came through whole.
  longestText: 400_000,
  unit: 'characters',
  readEvent: eventReader({
    // It hands over all that was said since a person spoke, an old promise with it: the chat file tells what is new.
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

/** What hooks add at the start of a session comes before the prompt, where there is no screen. */
const ADDED = /^\s*(?:<hook_context>[\s\S]*?<\/hook_context>\s*)*/;

/** A command file's text is the command alone; what was typed, if it was more than that, follows after an empty line. */
function commandIn(prompt: string): TypedCommand | null {
  const outer = typedCommand('/', prompt.replace(ADDED, ''));
  const inner = outer?.args.startsWith('\n\n/') === true ? typedCommand('/', outer.args) : null;
  return inner !== null && inner.command === outer?.command ? inner : outer;
}

/**
 * Another Gemini CLI that starts in the project removes the chat files that have no text yet, also of sessions that are
 * at work. The session then writes on in a new file, and all of that is news.
 */
function inNewFile({ transcript }: StopEvent, mark: Mark): Mark | null {
  const isOther = transcript !== null && transcript === mark.transcript && !isBehindLine(transcript, mark.offset);
  return isOther ? { transcript, offset: 0 } : null;
}

function workIn(all: readonly Fields[]): Omit<WorkSeen, 'mark'> {
  // A command that fails is a success of its tool; an error is a call that was denied, or that no tool could make sense of.
  const calls = messagesIn(all)
    .flatMap(({ toolCalls }) => objectsFrom(toolCalls))
    .filter(({ status }) => status !== 'error' && status !== 'cancelled');
  // What was said before a person spoke was said of something else.
  const since = messagesIn(all.slice(all.findLastIndex(isPersons) + 1));
  return {
    toolCalls: calls.length,
    hasOutput: calls.some(({ resultDisplay }) => resultDisplay !== undefined && resultDisplay !== ''),
    texts: since.map(({ content }) => textIn(content)).filter((text) => text !== ''),
  };
}

/**
 * The agent's own; one is written again, whole, when its tools have been called. A line that replaces the whole history
 * has no type: what it holds was written when it was said.
 */
function messagesIn(lines: readonly Fields[]): Fields[] {
  const own = lines.filter(({ type }) => type === 'gemini');
  return [...new Map(own.map((message) => [message.id, message])).values()];
}

/** Also what a hook has said at the end of a turn comes back in a person's name; nothing of that turn is news any more. */
function isPersons({ type, content }: Fields): boolean {
  return type === 'user' && textIn(content) !== '';
}

/** Without a chat file there is what was handed over: it grows until a person speaks, so that the mark counts its length. */
function workWithoutFile({ raw, isFresh }: StopEvent, { transcript, offset }: Mark): WorkSeen {
  const said = textOf(raw.prompt_response) ?? '';
  const seen = transcript === null ? offset : said.length;
  const news = said.slice(isFresh ? 0 : seen);
  const mark = { transcript: null, offset: said.length };
  return { toolCalls: null, hasOutput: false, texts: news === '' ? [] : [news], mark };
}

/** What a hook adds to a prompt is put into XML: an agent that repeats what it sees would never give its promise. */
function withBrackets(answer: SessionAnswer): SessionAnswer {
  return answer.kind === 'tell' ? { ...answer, context: `${answer.context}\n\n${BRACKETS}` } : answer;
}
