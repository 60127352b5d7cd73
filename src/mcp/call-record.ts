/** Records every call of a tool in an append-only file of the state folder, which is rotated when it is full. */
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
/** The file before the last rotation. */
export const olderCallsPath = (root: StateRoot): string => join(root.path, 'mcp-calls.1.jsonl');

/** There are at most two files of this size. */
const LARGEST_BYTES = 4 * 1024 * 1024;
/** Characters of a request id or of a tool's name. */
const LONGEST_NAME = 100;
/** Characters of the arguments of one call, as JSON. */
const LONGEST_ARGUMENTS = 4000;

export interface CallRecord {
  /** The server's pid; each client has its own server. */
  readonly pid: number;
  readonly client: Client;
  /** `allow` is the tier; `inside` is the loop that the client works for, if it is a loop's agent. */
  readonly allow: string;
  readonly inside: string | null;
  /** The client's request id: two lines with the same one are about one call. */
  readonly request: string | number;
  readonly tool: string;
  readonly arguments: unknown;
  /**
   * `begun`: written before a call that changes something. `refused`: the tier, the surrounding loop or the form of the
   * arguments did not allow the call. `failed`: it could not be carried out.
   */
  readonly outcome: 'begun' | 'done' | 'refused' | 'failed' | 'cancelled';
  /** The reason, if it was not done; otherwise the loop that it was about. */
  readonly detail?: string;
}

export type Keep = (record: CallRecord) => Promise<void>;

export function callRecorder(root: StateRoot, mask: Mask, largest = LARGEST_BYTES): Keep {
  const path = callsPath(root);
  let last: Promise<void> = Promise.resolve();
  const write = async (record: CallRecord): Promise<void> => {
    makePrivateFolder(root.path);
    const { request, tool, arguments: given, detail } = record;
    // Mask before cutting, so that no part of a secret stays; only absurdly long text is cut first.
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
    // Several servers append to the file, and each of them can rotate it.
    await underLock(path, { what: 'the record of MCP calls' }, () => {
      const { size, isCutOff } = lookAt(path);
      if (size + line.length > largest) ifThere(() => renameSync(path, olderCallsPath(root)));
      // If a writer died in the middle of its line, begin a new one.
      writeFile(path, isCutOff ? `\n${line}` : line, { flag: 'a', mode: 0o600 });
    });
  };
  // One record at a time, so that those of one client stay in order and do not wait for each other's lock.
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

/** Cuts long arguments. A long text is still in the loop's own queue, unless it was refused. */
function recordable(given: unknown, mask: Mask): unknown {
  try {
    const masked = maskData(given, mask);
    const text = JSON.stringify(masked) ?? 'null';
    return text.length <= LONGEST_ARGUMENTS
      ? masked
      : { cut: text.slice(0, LONGEST_ARGUMENTS), characters: text.length };
  } catch (error) {
    // They are nested more deeply than the stack allows; no tool takes such arguments.
    if (error instanceof RangeError) return { cut: '', why: 'nested too deeply' };
    throw error;
  }
}
