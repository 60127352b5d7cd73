/**
 * Claude Code's Stop hook of a stories loop: while `.ralph-active` is in the project, the agent can stop only if the
 * task list is valid (check 1), the review is in order (2), the list changed only as its mode allows (2.5), and
 * everything is committed (3). This is a guide rail, not a boundary: the agent has our permissions and could write the
 * marker. The harness judges again on its own copy.
 *
 * The shell script that starts this hook passes the project's folder and the output of `git status`. Of two copies of
 * the plugin, it lets only one act (see session-start.ts); in a run of the harness, it lets all of them.
 */
import { closeSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { digestOf } from '../core/text/digest.ts';
import { isLeftBehind, MARKER_NAME, type ReadMarker, readMarker } from '../loops/stories/list/active-file.ts';
import { judgeAgainst, uncommitted } from '../loops/stories/list/judge.ts';
import { promisedIn } from '../loops/stories/list/mode.ts';
import { inputOrNothing, runHook } from './io/hook.ts';
import { claim, forgetBlocks, readOwn, STOP_BLOCKS, sessionFile, writeOwn } from './io/session-file.ts';

type Answer = Readonly<Record<string, string>>;
type HookInput = Readonly<Record<string, unknown>>;

const AGAIN = 'Not in order yet: see what the Stop hook of ralph has said already.';

/** Null: the agent can stop, and no message is needed. */
function answerTo(project: string, status: string): Answer | null {
  // The task list is judged even if stdin is not valid.
  const input = inputOrNothing();
  const text = readOrNull(join(project, MARKER_NAME));
  if (text === null) return null;
  const marker = readMarker(text);
  if (marker.isPaused) return null;
  const left = `ralph: ${MARKER_NAME} was left by process ${marker.pid}, which is gone; nothing is checked.`;
  if (isLeftBehind(marker)) return { systemMessage: left };
  const reasons = [...tasksReason(project, marker, isGivenUp(input)), ...uncommitted(status, marker.ralphDir)];
  if (reasons.length > 0) {
    const reason = reasons.join('\n\n');
    const isTold = process.env.RALPH_GUARD === 'on' && isToldAlready(input, reason);
    return isTold ? { decision: 'block', reason: AGAIN } : blockFor(reason, countBlock(input));
  }
  forgetBlocks(input.session_id);
  const warning = warningOf(marker);
  return warning === null ? null : { systemMessage: warning };
}

/** Whether its message ends the loop for a person: a reviewer who cannot decide is not forced to give a verdict. */
function isGivenUp({ last_assistant_message: words }: HookInput): boolean {
  const tags = typeof words === 'string' ? words.matchAll(/<promise>([\s\S]*?)<\/promise>/g) : [];
  return [...tags].some(([, tag = '']) => (promisedIn(tag)?.kind ?? 'complete') !== 'complete');
}

function tasksReason(project: string, marker: ReadMarker, isGivenUp: boolean): string[] {
  const { ralphDir, iterationMode: mode, preIterationSnapshot, ...rest } = marker;
  const list = readOrNull(resolve(project, ralphDir, 'tasks.json'));
  const rules = { ...rest, mode, shownPath: `${ralphDir}/tasks.json` };
  const verdict = judgeAgainst(preIterationSnapshot, list, rules);
  if (verdict.kind === 'legal' || (verdict.kind === 'no-verdict' && isGivenUp)) return [];
  return [verdict.reason];
}

/**
 * Claude Code does not honour a block above its cap, and shows the model nothing: the message is for the user, and the
 * harness judges again.
 */
function blockFor(reason: string, { block, cap }: ReturnType<typeof countBlock>): Answer {
  if (cap === null || block < cap) return { decision: 'block', reason };
  if (block === cap) {
    const last = `This is block ${block} in a row without a tool call: Claude Code ends the turn at the next one, and what is missing is then missing. Use your tools to fix it now.`;
    return { decision: 'block', reason: `${reason}\n\n${last}` };
  }
  const systemMessage = `ralph: Claude Code overrides this block, number ${block} in a row without a tool call (its limit is ${cap}), and ends the turn. Not in order: ${reason}`;
  return { decision: 'block', reason, systemMessage };
}

function warningOf({ isBroken, skipReview, preIterationSnapshot, iterationMode }: ReadMarker): string | null {
  if (isBroken) return `ralph: ${MARKER_NAME} cannot be read; the transitions of the stories were not checked.`;
  if (skipReview || (preIterationSnapshot !== null && iterationMode !== null)) return null;
  const missing = preIterationSnapshot === null ? 'preIterationSnapshot' : 'iterationMode';
  return `ralph: ${MARKER_NAME} has no ${missing}; the transitions of the stories were not checked.`;
}

function readOrNull(path: string): string | null {
  try {
    // Reading a named pipe would wait for a writer.
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    // Check 1 reports a task list that cannot be read; without a marker there is no loop.
    return null;
  }
}

const USUAL_CAP = 8;
/** A turn without a tool call is a few lines; a transcript that grew by more than this had one. */
const MOST_TO_READ = 256 * 1024;

/**
 * The number of this block in its row, from 1, and how many in a row Claude Code honours before it ends the turn; null
 * if it was set to have no limit. Claude Code does not report the count: a tool call between two blocks, which ends the
 * row, is found in the new part of the transcript.
 */
function countBlock(input: HookInput): { readonly block: number; readonly cap: number | null } {
  const setting = process.env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP;
  const cap = setting !== undefined && /^\d+$/.test(setting) ? Number(setting) || null : USUAL_CAP;
  const path = sessionFile(STOP_BLOCKS, input.session_id);
  const transcript = transcriptOf(input);
  if (path === null || transcript === null) return { block: 1, cap };
  const [blocks = 0, size = 0] = (readOwn(path) ?? '').split(' ').map(Number);
  const isInARow = input.stop_hook_active === true && blocks > 0 && !hasToolCall(transcript.path, size);
  const block = isInARow ? blocks + 1 : 1;
  writeOwn(path, `${block} ${transcript.size}`);
  return { block, cap };
}

/** The transcript escapes quotes in a model's text, so that text cannot look like this. */
function hasToolCall(transcript: string, from: number): boolean {
  let file: number;
  try {
    file = openSync(transcript, 'r');
  } catch {
    // Without a transcript this is unknown; the higher count is the safer one.
    return false;
  }
  try {
    const buffer = Buffer.allocUnsafe(MOST_TO_READ);
    const bytes = readSync(file, buffer, 0, MOST_TO_READ, from);
    return bytes === MOST_TO_READ || buffer.subarray(0, bytes).includes('"type":"tool_use"');
  } finally {
    closeSync(file);
  }
}

/**
 * Every copy of the plugin blocks the agent, because a file that chose one of them could be the agent's. Only one copy
 * gives the full reason.
 */
function isToldAlready(input: HookInput, reason: string): boolean {
  const session = sessionFile('ralph-stop-told', input.session_id);
  const transcript = transcriptOf(input);
  if (session === null || transcript === null) return false;
  // The transcript grows between two stops.
  const path = `${session}.${digestOf(`${transcript.size} ${reason}`)}`;
  return !claim(path) && readOwn(path) !== null;
}

function transcriptOf({ transcript_path: path }: HookInput): { readonly path: string; readonly size: number } | null {
  return typeof path === 'string' ? { path, size: statSync(path, { throwIfNoEntry: false })?.size ?? 0 } : null;
}

// The harness judges anyway, even if this fails.
runHook("the stories' Stop hook failed", () => {
  const answer = answerTo(process.argv[2] ?? process.cwd(), process.env.RALPH_GIT_STATUS ?? '');
  if (answer !== null) writeSync(1, `${JSON.stringify(answer)}\n`);
});
