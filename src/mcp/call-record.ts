/** Every call of a tool is recorded: lines that are only ever added to, in a file of the state folder that has a largest size. */
import { fstatSync, readSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Mask, maskData } from '../core/text/mask.ts';
import { closing, ifThere, openPlain, writeFile } from '../process/files.ts';
import { makePrivateFolder } from '../state/folders.ts';
import type { StateRoot } from '../state/paths.ts';
import { underLock } from '../state/under-lock.ts';
import { printable } from '../stream/printable.ts';
import type { Client } from './protocol.ts';

export const callsPath = (root: StateRoot): string => join(root.path, 'mcp-calls.jsonl');
/** What was recorded before the newest file was begun. */
export const olderCallsPath = (root: StateRoot): string => join(root.path, 'mcp-calls.1.jsonl');

/** Two files of this size at most. */
const LARGEST_BYTES = 4 * 1024 * 1024;
/** Of what a client calls its request, or a tool. */
const LONGEST_NAME = 100;
/** Of the arguments of one call, as JSON. */
const LONGEST_ARGUMENTS = 4000;

export interface CallRecord {
  /** The server's, which is one per client. */
  readonly pid: number;
  readonly client: Client;
  /** The tier; and the loop that the client works for, if it is an agent's. */
  readonly allow: string;
  readonly inside: string | null;
  /** Of the client: two lines with the same one are about one call. */
  readonly request: string | number;
  readonly tool: string;
  readonly arguments: unknown;
  /**
   * `begun`: of a call that changes something, before it does. `refused`: the tier, the loop around or the form of the call did
   * not allow it. `failed`: it could not be done.
   */
  readonly outcome: 'begun' | 'done' | 'refused' | 'failed' | 'cancelled';
  /** Why not, or the loop that it was about. */
  readonly detail?: string;
}

export type Keep = (record: CallRecord) => Promise<void>;

export function callRecorder(root: StateRoot, mask: Mask, largest = LARGEST_BYTES): Keep {
  const path = callsPath(root);
  let last: Promise<void> = Promise.resolve();
  const write = async (record: CallRecord): Promise<void> => {
    makePrivateFolder(root.path);
    const { request, tool, arguments: given, detail } = record;
    // Masked before it is cut, but for what is absurdly long.
    const named = (text: string): string => mask(printable(text.slice(0, LONGEST_NAME * 10))).slice(0, LONGEST_NAME);
    const shown = {
      at: new Date().toISOString(),
      ...record,
      request: typeof request === 'string' ? named(request) : request,
      tool: named(tool),
      arguments: recordable(given, mask),
      ...(detail === undefined ? {} : { detail: mask(printable(detail)) }),
    };
    const line = `${JSON.stringify(shown)}\n`;
    // Several servers write to it, and one of them puts the full file aside.
    await underLock(path, { what: 'the record of MCP calls' }, () => {
      const { size, isCutOff } = lookAt(path);
      if (size + line.length > largest) ifThere(() => renameSync(path, olderCallsPath(root)));
      // A writer that died in the middle of its line must not spoil this one.
      writeFile(path, isCutOff ? `\n${line}` : line, { flag: 'a', mode: 0o600 });
    });
  };
  // One after the other: those of one client do not wait for each other's lock, and stay in their order.
  return (record) => {
    const written = last.then(() => write(record));
    last = written.catch(() => undefined);
    return written;
  };
}

function lookAt(path: string): { readonly size: number; readonly isCutOff: boolean } {
  const fd = ifThere(() => openPlain(path));
  if (fd === null) return { size: 0, isCutOff: false };
  return closing(fd, () => {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1);
    return { size, isCutOff: size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== LF };
  });
}

const LF = 0x0a;

/** A long text stays in the loop's own queue, or was refused. */
function recordable(given: unknown, mask: Mask): unknown {
  try {
    const masked = maskData(given, mask);
    const text = JSON.stringify(masked) ?? 'null';
    return text.length <= LONGEST_ARGUMENTS
      ? masked
      : { cut: text.slice(0, LONGEST_ARGUMENTS), characters: text.length };
  } catch (error) {
    // The stack is not deep enough for it, and no tool has a use for such arguments.
    if (error instanceof RangeError) return { cut: '', why: 'nested too deeply' };
    throw error;
  }
}
