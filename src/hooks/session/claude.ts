/**
 * Claude Code as the host of a loop. Measured with 2.1.325: a plugin's command has the plugin's name before its own, and
 * the hook of its expansion gets the arguments as they were typed; a resumed or compacted session keeps its name and its
 * transcript, a fork has a new one; every ninth block in a row without a tool call is overruled. Whatever the permissions
 * are, the agent may read what lies in the folder beside its transcript.
 */
import { fieldsOf, textOf } from './hook-fields.ts';
import type {
  BackgroundTask,
  BlockCap,
  Mark,
  SessionAnswer,
  SessionCommand,
  SessionEvent,
  SessionHost,
  WorkSeen,
} from './host.ts';
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
  workSince: (event, mark) => workIn(mark, newLines(event.transcript, mark)),
  // Where Claude Code itself puts what is too long to be told.
  readableFolder: ({ transcript }) =>
    transcript?.endsWith('.jsonl') === true ? `${transcript.slice(0, -'.jsonl'.length)}/tool-results` : null,
  say: (event, answer) => {
    const said = answerFor(event, answer);
    return said === null ? '' : `${JSON.stringify(said)}\n`;
  },
  cap: (environment) => capFrom(environment[CAP_VARIABLE]),
  // The scripts say which it is; `install-hooks` makes the bare names known.
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
        background: runningIn(input.background_tasks),
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
  // A subagent's deeds and words are not the session's.
  const lines = read.lines.map(fieldsOf).filter(({ isSidechain }) => isSidechain !== true);
  const notRun = new Set(lines.flatMap(callsNotRun));
  const toolCalls = lines.flatMap(saidIn).filter(({ type, id }) => type === 'tool_use' && !notRun.has(id)).length;
  // What was said before a person spoke was said of something else.
  const texts = lines
    .slice(lines.findLastIndex(isPersons) + 1)
    .flatMap(saidIn)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  return { toolCalls, hasOutput: toolCalls > 0, texts, mark: read.mark };
}

/** What the agent said in a line of the transcript, and what it called. */
function saidIn(line: Fields): Fields[] {
  return line.type === 'assistant' ? blocksOf(line) : [];
}

function blocksOf({ message }: Fields): Fields[] {
  const { content } = fieldsOf(message);
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

/** The answers to calls that nobody carried out: denied by a person, a rule or a hook, or no call at all. */
const NOT_RUN =
  /^(?:<tool_use_error>|Claude requested permissions? |Permission to use |PreToolUse:\S+ hook |The user doesn't want to )/;

function callsNotRun(line: Fields): unknown[] {
  const isDenied = line.toolDenialKind !== undefined;
  return blocksOf(line)
    .filter(({ type, is_error: isError }) => type === 'tool_result' && isError === true)
    .filter(({ content }) => isDenied || NOT_RUN.test(textOf(content) ?? ''))
    .map(({ tool_use_id: id }) => id);
}

/** Typed by a person: no tool's answer, no hook's words, no summary, no news of a background task. */
function isPersons(line: Fields): boolean {
  const { type, isMeta, isCompactSummary, promptSource, message } = line;
  if (type !== 'user' || isMeta === true || isCompactSummary === true || promptSource === 'system') return false;
  if (typeof fieldsOf(message).content === 'string') return true;
  const types = blocksOf(line).map((block) => block.type);
  return types.length > 0 && !types.includes('tool_result');
}

function runningIn(tasks: unknown): BackgroundTask[] {
  return (Array.isArray(tasks) ? tasks.map(fieldsOf) : [])
    .filter(({ status }) => status === 'running')
    .map(({ id, command, description }) => ({
      id: textOf(id) ?? '',
      what: textOf(command) ?? textOf(description) ?? 'a task without a name',
    }));
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
