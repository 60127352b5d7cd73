/**
 * Claude Code ends a turn against a Stop hook's will after so many blocks in a row without a tool call between them. It
 * tells nobody how many there have been, so they are counted here: a tool call since the last block shows in what the
 * transcript has gained.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { readOwn, removeOwn, sessionFile, writeOwn } from '../io/session-file.ts';

const KIND = 'ralph-stop-blocks';
const USUAL_CAP = 8;
/** A turn without a tool call is a few lines; a transcript that gained more than this had one. */
const MOST_TO_READ = 256 * 1024;

export interface BlockCount {
  /** This block among those in a row, from 1. */
  readonly block: number;
  /** Null when Claude Code was told to have none. */
  readonly cap: number | null;
}

/** Counts one more block. `setting` is CLAUDE_CODE_STOP_HOOK_BLOCK_CAP. */
export function countBlock(input: Readonly<Record<string, unknown>>, setting: string | undefined): BlockCount {
  const cap = capFrom(setting);
  const path = sessionFile(KIND, input.session_id);
  const transcript = typeof input.transcript_path === 'string' ? input.transcript_path : null;
  if (path === null || transcript === null) return { block: 1, cap };
  const [blocks = 0, size = 0] = (readOwn(path) ?? '').split(' ').map(Number);
  const isInARow = input.stop_hook_active === true && blocks > 0 && !hasToolCall(transcript, size);
  const block = isInARow ? blocks + 1 : 1;
  writeOwn(path, `${block} ${statSync(transcript, { throwIfNoEntry: false })?.size ?? 0}`);
  return { block, cap };
}

export function forgetBlocks(session: unknown): void {
  const path = sessionFile(KIND, session);
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
    // Without a transcript nobody can tell; the higher count is the more careful one.
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
