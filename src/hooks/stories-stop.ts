/**
 * Claude Code's Stop hook of a stories loop: while `.ralph-active` lies in the project, the agent may stop only with a
 * sound task list (check 1), in order with the review (2), by the way its mode allows (2.5), and with all committed (3).
 * It is a rail: the agent has our rights and can write the marker. The harness judges again on its own copy.
 *
 * The `sh` in front hands over the project's folder and what `git status` said. Of two copies of the plugin it lets one
 * act: see session-start.ts; in a run of the harness it lets all of them.
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

/** Null: it may stop, and nothing has to be said. */
function answerTo(project: string, status: string): Answer | null {
  // What is wrong with the list is wrong whatever stdin says; only the count of blocks needs it.
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

/** What it says with that ends the loop for a person: a reviewer who cannot decide is not driven to a verdict. */
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

/** The block that Claude Code will not honour reaches no model any more: the user is told, and the harness will see. */
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
    // A pipe would be waited for.
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    // A task list that cannot be read is check 1's to tell; without a marker there is no loop.
    return null;
  }
}

const USUAL_CAP = 8;
/** A turn without a tool call is a few lines; a transcript that gained more than this had one. */
const MOST_TO_READ = 256 * 1024;

/**
 * This block among those in a row, from 1, and how many of them Claude Code honours before it ends the turn; null when it
 * was told to have no limit. It does not say how many there have been: a tool call between two of them, which ends the row,
 * shows in what the transcript has gained.
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

/** The words of a model stand in the transcript with their quotes escaped: they cannot look like this. */
function hasToolCall(transcript: string, from: number): boolean {
  let file: number;
  try {
    file = openSync(transcript, 'r');
  } catch {
    // Without a transcript it is not known; the higher count is the more careful one.
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

/** Every copy of the plugin holds the agent: a file that chose one could be the agent's. One tells the long reason. */
function isToldAlready(input: HookInput, reason: string): boolean {
  const session = sessionFile('ralph-stop-told', input.session_id);
  const transcript = transcriptOf(input);
  if (session === null || transcript === null) return false;
  // Between two stops the transcript has grown.
  const path = `${session}.${digestOf(`${transcript.size} ${reason}`)}`;
  return !claim(path) && readOwn(path) !== null;
}

function transcriptOf({ transcript_path: path }: HookInput): { readonly path: string; readonly size: number } | null {
  return typeof path === 'string' ? { path, size: statSync(path, { throwIfNoEntry: false })?.size ?? 0 } : null;
}

// The harness judges anyway, also where this fails.
runHook("the stories' Stop hook failed", () => {
  const answer = answerTo(process.argv[2] ?? process.cwd(), process.env.RALPH_GIT_STATUS ?? '');
  if (answer !== null) writeSync(1, `${JSON.stringify(answer)}\n`);
});
