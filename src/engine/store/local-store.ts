/** The loops of this machine: their folders are the registry, their journals the truth. */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import type { LoopMachine } from '../../core/machine/machine.ts';
import type { Recorded } from '../../core/record.ts';
import { systemFault } from '../../core/system-fault.ts';
import { parsedJson } from '../../core/text/json.ts';
import { closing, ifThere, nullOn, openPlain, readPlainText } from '../../process/files.ts';
import { watchFolder } from '../../process/folder-watch.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { readJournal, readJournalEnds, readJournalFrom } from '../../state/journal.ts';
import { holderIn } from '../../state/lock.ts';
import {
  journalPath,
  loopFolder,
  loopLock,
  loopsFolder,
  type StateRoot,
  statusPath,
  workTreeLock,
} from '../../state/paths.ts';
import { isStatus, type LoopStatus, loopIds } from '../../state/registry.ts';
import { pendingControl, sendCommand } from '../control.ts';
import type { LoopStore, StoredLoop, Supervisor, TranscriptBytes, TranscriptPart } from './loop-store.ts';

const { O_NONBLOCK, O_RDONLY } = constants;

/** Null for a kind of loop that this release does not know. */
export type MachineOf = (loopKind: string) => Promise<LoopMachine<unknown> | null>;

export function localStore(root: StateRoot, machineOf: MachineOf): LoopStore {
  return {
    async list() {
      const loops: { readonly loop: StoredLoop; readonly at: number }[] = [];
      const look: Look = { root, machineOf, ofDirectories: new Map() };
      for (const name of loopIds(root)) {
        const loop = await readStored(look, name);
        if (loop !== null) loops.push({ loop, at: beganAt(loop) });
      }
      return loops.sort((a, b) => a.at - b.at).map(({ loop }) => loop);
    },
    async ids() {
      return loopIds(root);
    },
    async read(id) {
      return isFolderName(id) ? readStored({ root, machineOf, ofDirectories: new Map() }, id) : null;
    },
    watch: (id, changed) => watchLoops(root, id, changed),
    async first(id) {
      return ifThere(() => readJournalEnds(journalPath(folderOf(root, id))))?.first ?? null;
    },
    async records(id, from = 0) {
      return readJournal(journalPath(folderOf(root, id))).records.slice(from);
    },
    reader: (id) => journalReader(root, id),
    follow: (id, from, signal) => followJournal(folderOf(root, id), from, signal),
    async transcript(id, path, part) {
      try {
        return readPart(isAbsolute(path) ? path : join(folderOf(root, id), path), part);
      } catch (error) {
        // It is not there, or its loop has been deleted, or an agent has put something in its place that is no file.
        if (error instanceof RalphError || systemFault(error) !== null) return null;
        throw error;
      }
    },
    async send(id, command, as) {
      sendCommand(folderOf(root, id), command, as);
    },
  };
}

/** Null for all: their folder is made with the first one of them, or now. */
function watchLoops(root: StateRoot, id: string | null, changed: () => void): () => void {
  if (id === null) makePrivateFolder(loopsFolder(root));
  const folder = id === null ? loopsFolder(root) : folderOf(root, id);
  const watch = watchFolder(folder);
  const stop = watch.onAny(changed);
  return () => {
    stop();
    watch.close();
  };
}

/** Refuses a name that would lead elsewhere. */
function folderOf(root: StateRoot, id: string): string {
  const folder = loopFolder(root, id);
  if (isFolderName(id) && existsSync(folder)) return folder;
  throw new RalphError('NO_LOOP', `there is no loop ${id} on this machine`, {
    hint: 'To see all loops: ralph ls --all',
  });
}

const isFolderName = (id: string): boolean => /^[\w.-]+$/.test(id) && !/^\.+$/.test(id);

const beganAt = (loop: StoredLoop): number => ('createdAt' in loop ? loop.createdAt : Number.NEGATIVE_INFINITY);

/** One look at the loops: most of them share a few directories, whose locks are looked at once. */
interface Look {
  readonly root: StateRoot;
  readonly machineOf: MachineOf;
  readonly ofDirectories: Map<string, DirectoryHolder | null>;
}

/** What holds the lock of a directory, and what for; it cannot be seen on another machine or in another container. */
type DirectoryHolder = { readonly pid: number; readonly purpose: string } | 'unseen';

/** Null for what is no loop. */
async function readStored(look: Look, name: string): Promise<StoredLoop | null> {
  const { root, machineOf } = look;
  const folder = loopFolder(root, name);
  try {
    const journal = nullOn(['ENOTDIR'], () => statSync(journalPath(folder), { throwIfNoEntry: false }));
    if (journal == null) return null;
    const { size } = journal;
    const status = currentStatus(folder, name, size) ?? (await statusFromJournal(folder, machineOf));
    // One that was cut off before its first record has never been.
    if (status === null)
      return existsSync(statusPath(folder)) ? { id: name, problem: `${journalPath(folder)} is empty` } : null;
    if (status.id !== name)
      return { id: name, problem: `${journalPath(folder)} belongs to another loop: ${status.id}` };
    const supervisor = status.ending === null ? supervisorOf(look, status) : null;
    const pending = status.ending?.kind === 'done' ? null : pendingControl(folder, status.consumed);
    const wanted = status.ending === null ? (pending?.wanted ?? 'run') : 'run';
    // It was made for this one look: a list of copies would take longer to make and to read.
    return Object.assign(status, { supervisor, wanted, messages: [...status.told, ...(pending?.told ?? [])] });
  } catch (error) {
    const fault = error instanceof RalphError ? error : systemFault(error);
    if (fault === null) throw error;
    return { id: name, problem: fault.message };
  }
}

/** The status file, if the journal has had nothing to say since: folding a thousand journals would take seconds. */
function currentStatus(folder: string, id: string, size: number): LoopStatus | null {
  const text = ifThere(() => shortText(statusPath(folder)));
  const status = text === null ? null : parsedJson(text);
  return isStatus(status) && status.id === id && status.journalBytes === size ? status : null;
}

const SHORT = Buffer.allocUnsafe(8 * 1024);

/** As a rule it fits: then four system calls fewer for each loop of a list. What is no file gives no bytes, or too many. */
function shortText(path: string): string {
  const length = closing(openSync(path, O_RDONLY | O_NONBLOCK), (fd) => {
    return nullOn(['EISDIR', 'EAGAIN'], () => readSync(fd, SHORT, 0, SHORT.length, null)) ?? 0;
  });
  return length === 0 || length === SHORT.length ? readPlainText(path) : SHORT.toString('utf8', 0, length);
}

/** What folds journals is loaded for those that need it: most lists have none. */
async function statusFromJournal(folder: string, machineOf: MachineOf): Promise<LoopStatus | null> {
  return (await import('./folded-status.ts')).foldedStatus(folder, machineOf);
}

/** A loop holds its own lock, or that of its directory under its name. Looking takes nothing. */
function supervisorOf({ root, ofDirectories }: Look, { id, cwd }: LoopStatus): Supervisor | null {
  const own = holderOf(loopLock(loopFolder(root, id)));
  if (own !== null) return { pid: own === 'unseen' ? null : own.pid };
  const known = ofDirectories.get(cwd);
  const holder = known === undefined ? holderOf(workTreeLock(root, cwd)) : known;
  ofDirectories.set(cwd, holder);
  if (holder === null || holder === 'unseen') return holder === null ? null : { pid: null };
  return holder.purpose === `loop ${id}` ? { pid: holder.pid } : null;
}

function holderOf(lock: string): DirectoryHolder | null {
  const found = holderIn(lock);
  return found?.foreign === true ? 'unseen' : (found?.holder ?? null);
}

function journalReader(root: StateRoot, id: string): () => Promise<readonly Recorded[]> {
  let byte = 0;
  return async () => {
    const { records, next } = readJournalFrom(journalPath(folderOf(root, id)), byte);
    byte = next;
    return records;
  };
}

async function* followJournal(folder: string, from: number, signal: AbortSignal): AsyncGenerator<Recorded> {
  let wake = (): void => undefined;
  const watch = watchFolder(folder);
  const stop = watch.on('journal.jsonl', () => wake());
  const aborted = (): void => wake();
  signal.addEventListener('abort', aborted);
  let byte = 0;
  try {
    while (!signal.aborted) {
      // Made before the look: what is appended after it wakes the next one.
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const { records, next } = readJournalFrom(journalPath(folder), byte);
      byte = next;
      for (const record of records) if (record.seq >= from) yield record;
      if (records.length === 0 && !signal.aborted) await changed;
    }
  } finally {
    signal.removeEventListener('abort', aborted);
    stop();
    watch.close();
  }
}

/** So much is read at once. */
const MOST_BYTES = 1024 * 1024;

function readPart(path: string, part: TranscriptPart): TranscriptBytes {
  const fd = openPlain(path);
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const from = 'from' in part ? Math.min(part.from, size) : Math.max(0, size - part.last);
    const bytes = Buffer.alloc(Math.min(size - from, MOST_BYTES));
    const read = readSync(fd, bytes, 0, bytes.length, from);
    return { bytes: bytes.subarray(0, read), next: from + read, changedAt: mtimeMs };
  } finally {
    closeSync(fd);
  }
}
