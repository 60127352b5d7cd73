/**
 * Claude Code as the host of a loop. Measured with 2.1.325: a plugin's command has the plugin's name before its own, and
 * the hook of its expansion gets the arguments as they were typed; a resumed or compacted session keeps its name and its
 * transcript, a fork has a new one; every ninth block in a row without a tool call is overruled. Whatever the permissions
 * are, the agent may read what lies in the folder beside its transcript.
 */
import { objectFrom, objectsFrom } from '../reading/json-line.ts';
import { eventReader, hookAnswer, stopped, textOf, workInTranscript } from '../session/hook-fields.ts';
import {
  type BlockCap,
  COMMANDS,
  type Fields,
  type SessionCommand,
  type SessionHost,
  type WorkSeen,
} from '../session/host.ts';
import { endOf } from '../session/transcript-lines.ts';

export const CAP_VARIABLE = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';
const USUAL_CAP = 8;

export const claude: SessionHost = {
  name: 'claude',
  // What a hook adds to the context is put into a file beyond 10,000 characters.
  longestText: 9_500,
  unit: 'characters',
  readEvent: eventReader({
    Stop: (heard) => ({
      ...stopped(heard, textOf(heard.raw.last_assistant_message)),
      background: objectsFrom(heard.raw.background_tasks)
        .filter(({ status }) => status === 'running')
        .map(({ id, command, description }) => ({
          id: textOf(id) ?? '',
          what: textOf(command) ?? textOf(description) ?? 'a task without a name',
        })),
    }),
    UserPromptExpansion: (heard) => {
      const command = (textOf(heard.raw.command_name) ?? '').replace(/^ralph:/, '');
      if (!Object.hasOwn(COMMANDS, command)) return null;
      const args = textOf(heard.raw.command_args) ?? '';
      return { on: 'command', ...heard, command: command as SessionCommand, args };
    },
  }),
  markNow: ({ transcript }) => endOf(transcript),
  workSince: (event, mark) => workInTranscript(event, mark, workIn),
  // Where Claude Code itself puts what is too long to be told.
  readableFolder: ({ transcript }) =>
    transcript?.endsWith('.jsonl') === true ? `${transcript.slice(0, -'.jsonl'.length)}/tool-results` : null,
  // A "block" would keep a prompt as well, and repeat the whole of it after the message.
  say: (event, answer) => hookAnswer(event, answer, 'block', (message) => ({ continue: false, stopReason: message })),
  cap: (environment) => capFrom(environment[CAP_VARIABLE]),
  // The scripts say which it is; `install-hooks` makes the bare names known.
  typing: ({ RALPH_FRONT }) => ({ slash: RALPH_FRONT === 'plugin' ? '/ralph:' : '/', needsEsc: true }),
  // The scripts in front start node for a session that they know by its name in the environment, and for no other.
  obstacle: (session, { RALPH_FRONT = '', CLAUDE_CODE_SESSION_ID }) =>
    RALPH_FRONT !== '' && CLAUDE_CODE_SESSION_ID !== session ? OUT_OF_SIGHT : null,
};

const OUT_OF_SIGHT =
  "The loop was not started: this version of Claude Code does not pass the session's id to its hooks (CLAUDE_CODE_SESSION_ID), and the Stop hook needs it to find the loop. Update Claude Code.";

function workIn(all: readonly Fields[]): Omit<WorkSeen, 'mark'> {
  // A subagent's deeds and words are not the session's.
  const lines = all.filter(({ isSidechain }) => isSidechain !== true);
  const notRun = new Set(lines.flatMap(callsNotRun));
  const toolCalls = lines.flatMap(saidIn).filter(({ type, id }) => type === 'tool_use' && !notRun.has(id)).length;
  // What was said before a person spoke was said of something else.
  const texts = lines
    .slice(lines.findLastIndex(isPersons) + 1)
    .flatMap(saidIn)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  return { toolCalls, hasOutput: toolCalls > 0, texts };
}

function saidIn(line: Fields): Fields[] {
  return line.type === 'assistant' ? blocksOf(line) : [];
}

function blocksOf({ message }: Fields): Fields[] {
  return objectsFrom(objectFrom(message).content);
}

/** The answers to calls that were not carried out: denied by a person, a rule or a hook, or no call at all. */
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
  if (typeof objectFrom(message).content === 'string') return true;
  const types = blocksOf(line).map((block) => block.type);
  return types.length > 0 && !types.includes('tool_result');
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
