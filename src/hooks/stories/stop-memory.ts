/**
 * What the Stop hook remembers of a session between two stops. Claude Code ends a turn against a Stop hook's will after so
 * many blocks in a row without a tool call between them, and does not say how many there have been, so they are counted
 * here: a tool call since the last block shows in what the transcript has gained.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { digestOf } from '../../core/text/digest.ts';
import { claim, readOwn, removeOwn, sessionFile, writeOwn } from '../io/session-file.ts';

type HookInput = Readonly<Record<string, unknown>>;

const BLOCKS = 'ralph-stop-blocks';
const USUAL_CAP = 8;
/** A turn without a tool call is a few lines; a transcript that gained more than this had one. */
const MOST_TO_READ = 256 * 1024;

export interface BlockCount {
  readonly block: number;
  /** Null when Claude Code was told to have none. */
  readonly cap: number | null;
}

export function countBlock(input: HookInput, setting: string | undefined): BlockCount {
  const cap = capFrom(setting);
  const path = sessionFile(BLOCKS, input.session_id);
  const transcript = transcriptOf(input);
  if (path === null || transcript === null) return { block: 1, cap };
  const [blocks = 0, size = 0] = (readOwn(path) ?? '').split(' ').map(Number);
  const isInARow = input.stop_hook_active === true && blocks > 0 && !hasToolCall(transcript, size);
  const block = isInARow ? blocks + 1 : 1;
  writeOwn(path, `${block} ${sizeOf(transcript)}`);
  return { block, cap };
}

export function forgetBlocks(session: unknown): void {
  const path = sessionFile(BLOCKS, session);
  if (path !== null) removeOwn(path);
}

function capFrom(setting: string | undefined): number | null {
  if (setting === undefined || !/^\d+$/.test(setting)) return USUAL_CAP;
  return Number(setting) > 0 ? Number(setting) : null;
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

/**
 * Whether this stop has been told its reason already. In a run of the harness every loaded copy of the plugin acts, because
 * a file in /tmp that chose one of them could be written by the agent, too. Each holds the agent; only the long reason is
 * told by one of them: this shortens a message, and never decides anything.
 */
export function isToldAlready(input: HookInput, reason: string): boolean {
  const session = sessionFile('ralph-stop-told', input.session_id);
  const transcript = transcriptOf(input);
  if (session === null || transcript === null) return false;
  // Between two stops the transcript has grown.
  const path = `${session}.${digestOf(`${sizeOf(transcript)} ${reason}`)}`;
  return !claim(path) && readOwn(path) !== null;
}

function transcriptOf({ transcript_path: path }: HookInput): string | null {
  return typeof path === 'string' ? path : null;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
