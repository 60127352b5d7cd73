/**
 * Claude Code as the host of a loop. Measured with 2.1.325: a plugin's command has the plugin's name as a prefix, and
 * the hook of its expansion gets the arguments as typed; a resumed or compacted session keeps its id and its
 * transcript, a fork gets new ones; every ninth block in a row without a tool call is overruled. Under any permissions,
 * the agent can read the folder next to its transcript.
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
  // Context from a hook that is longer than 10,000 characters is moved into a file.
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
  // Where Claude Code itself stores output that is too long to show.
  readableFolder: ({ transcript }) =>
    transcript?.endsWith('.jsonl') === true ? `${transcript.slice(0, -'.jsonl'.length)}/tool-results` : null,
  // A "block" would keep the prompt from the model, too, but repeat all of it after the message.
  say: (event, answer) => hookAnswer(event, answer, 'block', (message) => ({ continue: false, stopReason: message })),
  cap: (environment) => capFrom(environment[CAP_VARIABLE]),
  // The scripts set RALPH_FRONT; commands without a prefix come from `install-hooks`.
  typing: ({ RALPH_FRONT }) => ({ slash: RALPH_FRONT === 'plugin' ? '/ralph:' : '/', needsEsc: true }),
  // The wrapper scripts start node only for a session whose id is in the environment.
  obstacle: (session, { RALPH_FRONT = '', CLAUDE_CODE_SESSION_ID }) =>
    RALPH_FRONT !== '' && CLAUDE_CODE_SESSION_ID !== session ? OUT_OF_SIGHT : null,
};

const OUT_OF_SIGHT =
  "The loop was not started: this version of Claude Code does not pass the session's id to its hooks (CLAUDE_CODE_SESSION_ID), and the Stop hook needs it to find the loop. Update Claude Code.";

function workIn(all: readonly Fields[]): Omit<WorkSeen, 'mark'> {
  // What a subagent does and says is not the session's.
  const lines = all.filter(({ isSidechain }) => isSidechain !== true);
  const notRun = new Set(lines.flatMap(callsNotRun));
  const toolCalls = lines.flatMap(saidIn).filter(({ type, id }) => type === 'tool_use' && !notRun.has(id)).length;
  // Anything said before a person last spoke was about something else.
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

/** Results of calls that were not carried out: denied by a person, a rule or a hook, or not valid calls. */
const NOT_RUN =
  /^(?:<tool_use_error>|Claude requested permissions? |Permission to use |PreToolUse:\S+ hook |The user doesn't want to )/;

function callsNotRun(line: Fields): unknown[] {
  const isDenied = line.toolDenialKind !== undefined;
  return blocksOf(line)
    .filter(({ type, is_error: isError }) => type === 'tool_result' && isError === true)
    .filter(({ content }) => isDenied || NOT_RUN.test(textOf(content) ?? ''))
    .map(({ tool_use_id: id }) => id);
}

/** Typed by a person: not a tool result, a hook's text, a summary, or news of a background task. */
function isPersons(line: Fields): boolean {
  const { type, isMeta, isCompactSummary, promptSource, message } = line;
  if (type !== 'user' || isMeta === true || isCompactSummary === true || promptSource === 'system') return false;
  if (typeof objectFrom(message).content === 'string') return true;
  const types = blocksOf(line).map((block) => block.type);
  return types.length > 0 && !types.includes('tool_result');
}

/** Read the way Claude Code does: a value of 0 or less means no cap, one that is not a number the default. */
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
