/**
 * Claude Code as the host of a loop. Measured with 2.1.325: a plugin's command has the plugin's name before its own, and
 * the hook of its expansion gets the arguments as they were typed; a resumed or compacted session keeps its name and its
 * transcript, a fork has a new one; every ninth block in a row without a tool call is overruled.
 */
import type { BlockCap, Mark, SessionAnswer, SessionCommand, SessionEvent, SessionHost, WorkSeen } from './host.ts';
import { endOf, newLines } from './new-lines.ts';

const CAP_VARIABLE = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';
const USUAL_CAP = 8;
const COMMANDS: readonly SessionCommand[] = ['ralph-loop', 'ulw-loop', 'cancel-ralph', 'ralph-status'];

type Fields = Readonly<Record<string, unknown>>;

export const claude: SessionHost = {
  name: 'claude',
  // What a hook adds to the context is put into a file beyond 10,000 characters.
  longestText: 9_500,
  unit: 'characters',
  hear,
  markNow: ({ transcript }) => endOf(transcript),
  workSince: (event, mark) => workIn(mark, newLines(event.transcript, mark, ['"type":"assistant"'])),
  say: (event, answer) => {
    const said = answerFor(event, answer);
    return said === null ? '' : `${JSON.stringify(said)}\n`;
  },
  cap: (environment) => capFrom(environment[CAP_VARIABLE]),
  // The scripts of the plugin say so; `install-hooks` makes the bare names known.
  typing: ({ RALPH_FRONT }) => ({ slash: RALPH_FRONT === 'plugin' ? '/ralph:' : '/', needsEsc: true }),
};

function hear(input: Fields): SessionEvent | null {
  const { session_id: session, hook_event_name: event } = input;
  // A subagent's end is not the session's.
  if (typeof session !== 'string' || input.agent_id !== undefined) return null;
  const heard = {
    session,
    cwd: textOf(input.cwd) ?? process.cwd(),
    transcript: textOf(input.transcript_path),
    raw: input,
  };
  switch (event) {
    case 'Stop':
      return {
        on: 'stop',
        ...heard,
        words: textOf(input.last_assistant_message),
        isFresh: input.stop_hook_active !== true,
      };
    case 'UserPromptExpansion': {
      const name = (textOf(input.command_name) ?? '').replace(/^ralph:/, '');
      const command = COMMANDS.find((known) => known === name);
      return command === undefined
        ? null
        : { on: 'command', ...heard, command, args: textOf(input.command_args) ?? '' };
    }
    case 'SessionStart':
      return input.source === 'resume' || input.source === 'compact' ? { on: 'context-renewed', ...heard } : null;
    default:
      return null;
  }
}

function workIn(mark: Mark, read: ReturnType<typeof newLines>): WorkSeen {
  if (read === null) {
    return { toolCalls: null, hasOutput: false, texts: [], mark };
  }
  const blocks = read.lines.flatMap(blocksOf);
  const toolCalls = blocks.filter(({ type }) => type === 'tool_use').length;
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  return { toolCalls, hasOutput: toolCalls > 0, texts, mark: read.mark };
}

function blocksOf(line: unknown): Fields[] {
  const { type, isSidechain, message } = (line ?? {}) as Fields;
  if (type !== 'assistant' || isSidechain === true) return [];
  const { content } = (message ?? {}) as Fields;
  return Array.isArray(content) ? (content as unknown[]).filter(isFields) : [];
}

function answerFor(event: SessionEvent, answer: SessionAnswer): Fields | null {
  switch (answer.kind) {
    case 'nothing':
      return null;
    case 'tell': {
      const hookEventName = event.on === 'command' ? 'UserPromptExpansion' : 'SessionStart';
      const hookSpecificOutput = { hookEventName, additionalContext: answer.context };
      return { hookSpecificOutput, ...(answer.notice === null ? {} : { systemMessage: answer.notice }) };
    }
    case 'reply':
      // A "block" would do the same, and repeat the whole prompt after the message.
      return { continue: false, stopReason: answer.message };
    case 'go-on':
      return { decision: 'block', reason: answer.prompt, systemMessage: answer.notice };
    case 'stop':
      return answer.notice === null ? null : { systemMessage: answer.notice };
  }
}

/** As Claude Code reads it: only what is above 0 is a cap, and what is no number means the usual one. */
function capFrom(value: string | undefined): BlockCap | null {
  const number = value === undefined || value.trim() === '' ? USUAL_CAP : Number(value);
  const blocks = Number.isFinite(number) ? number : USUAL_CAP;
  if (blocks <= 0) return null;
  return {
    blocks,
    howToLift: (needed) =>
      `To lift the limit, put "env": {"${CAP_VARIABLE}": "${needed}"} into ~/.claude/settings.json and start Claude Code again, or begin the loop with: ralph session`,
  };
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object';
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
