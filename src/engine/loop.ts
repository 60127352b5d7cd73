/** A loop on disk: created, or reopened, under a lock. Nothing here is asynchronous or slow to load: hooks use it. */
import { basename } from 'node:path';
import type { Action } from '../core/action.ts';
import type { LoopTerms } from '../core/budget/terms.ts';
import { defined } from '../core/defined.ts';
import { RalphError } from '../core/error.ts';
import { folding, type LoopMachine } from '../core/machine/machine.ts';
import { turnAtOnce } from '../core/machine/turn.ts';
import { type Created, nextRecord, type Recorded, type Result } from '../core/record.ts';
import type { LoopState } from '../core/state.ts';
import { systemFault } from '../core/system-fault.ts';
import { type Mask, maskData } from '../core/text/mask.ts';
import { taskLine } from '../core/text/task-line.ts';
import type { Instant } from '../core/time.ts';
import { eachRecord, type Journal, openJournal } from '../state/journal.ts';
import { type Lock, tryLock } from '../state/lock.ts';
import { makeLoop, removeUnbegun, wholeRecord } from '../state/new-loop.ts';
import { journalPath, loopFolder, type StateRoot, workTreeLock } from '../state/paths.ts';
import { type LoopStatus, statusOf, writeStatus } from '../state/registry.ts';
import { shortName } from '../state/short-names.ts';
import { signOfLifeAfter } from './drive/sign-of-life.ts';

export interface OpenLoop<Data> {
  readonly folder: string;
  readonly createdAt: Instant;
  /** See `LoopStatus`. */
  readonly asked?: string | null | undefined;
  readonly journal: Journal;
  readonly machine: LoopMachine<Data>;
  readonly state: LoopState<Data>;
  close(): void;
}

/** What a loop needs from its machine. */
export interface LoopHome {
  readonly root: StateRoot;
  readonly mask: Mask;
  /** What only one loop at a time may work on: the directory, unless the loop kind says otherwise. */
  readonly exclusive?: { readonly what: string; readonly lock: string };
  /** The command that stops the loop that holds the lock. */
  readonly stopWith?: string;
}

/** Creates a loop. Closing it, or failing to create it, releases the lock. */
export function beginUnder<Data>(
  lock: Lock,
  machine: LoopMachine<Data>,
  created: Created,
  { root, mask }: Pick<LoopHome, 'root' | 'mask'>,
): OpenLoop<Data> {
  return releasing(lock, () => {
    const createdAt = Date.now();
    const { folder, journal, first } = makeLoop(root, created, createdAt, mask);
    try {
      const state = machine.begin(first);
      const asked = askedIn(first, machine, mask);
      const loop = { folder, createdAt, asked, journal, machine, state, close: closing(journal, lock) };
      publishStatus(loop, loop.state);
      return loop;
    } catch (error) {
      journal.close();
      removeUnbegun(folder);
      throw error;
    }
  });
}

/** `readAgain` restores inputs in which a key was masked; it gets the request and the inputs from the journal. */
export function reopenLoop<Data>(
  machine: LoopMachine<Data>,
  id: string,
  cwd: string,
  home: LoopHome,
  readAgain: (request: never, masked: never) => unknown,
): OpenLoop<Data> {
  const folder = loopFolder(home.root, id);
  const loop = openUnder(lockFor(home, cwd, id), machine, folder, home.mask, wholeInputs(readAgain));
  try {
    publishStatus(loop, loop.state);
  } catch (error) {
    // The status is a projection: a loop starts even if it cannot be written.
    if (systemFault(error) === null) {
      loop.close();
      throw error;
    }
  }
  return loop;
}

/** Opens a loop, with each record as `prepare` returns it. Closing it, or failing to open it, releases the lock. */
export function openUnder<Data>(
  lock: Lock,
  machine: LoopMachine<Data>,
  folder: string,
  mask: Mask,
  prepare = (record: Recorded): Recorded => record,
): OpenLoop<Data> {
  return releasing(lock, () => {
    let first: Recorded | undefined;
    const folded = folding(machine);
    const journal = openJournal(journalPath(folder), mask, (record) => {
      first ??= record;
      folded.take(prepare(wholeRecord(record, folder)));
    });
    try {
      if (first === undefined) throw neverBegan(basename(folder), folder);
      const asked = askedIn(first, machine, mask);
      const close = closing(journal, lock);
      return { folder, createdAt: first.at, asked, journal, machine, state: folded.state(), close };
    } catch (error) {
      journal.close();
      throw error;
    }
  });
}

function askedIn<Data>(first: Recorded | undefined, machine: LoopMachine<Data>, mask: Mask): string | null | undefined {
  return first?.result.kind === 'created' ? shownLine(machine.asked(first.result.options, null).task, mask) : undefined;
}

/** A longer line is left out; readers take it from the journal. */
const LONGEST_LINE = 500;

/** Keys are masked before the line is cut: the status never holds half of one. */
function shownLine(task: string | null, mask: Mask): string | null | undefined {
  const line = taskLine(mask(task ?? ''));
  return line !== null && line.length > LONGEST_LINE ? undefined : line;
}

function releasing<T>(lock: Lock, open: () => T): T {
  try {
    return open();
  } catch (error) {
    lock.release();
    throw error;
  }
}

export function publishStatus<Data>(loop: OpenLoop<Data>, state: LoopState<Data>): void {
  writeStatus(loop.folder, loopStatus(loop, state)());
}

/** The status for a state that includes everything in the journal as it is now. Computed when the result is called. */
export function loopStatus<Data>({ machine, journal, createdAt, asked }: OpenLoop<Data>, state: LoopState<Data>) {
  const bytes = journal.bytes();
  return (): LoopStatus => ({
    ...maskData(statusOf(machine, state, { createdAt, bytes }), journal.mask),
    ...defined({ asked, task: shownLine(machine.about(state).task, journal.mask) }),
  });
}

/** The journal was emptied, or the machine died at once. */
export function neverBegan(id: string, folder: string): RalphError {
  return new RalphError('LOOP_EMPTY', `${journalPath(folder)} has no records: loop ${id} was cut off before it began`, {
    hint: 'Start it again.',
  });
}

/** Takes an ending back, or changes options, as a person asked. This is on record before anything follows from it. */
export function continueLoop<Data>(
  machine: LoopMachine<Data>,
  loop: OpenLoop<Data>,
  options?: unknown,
  terms?: LoopTerms,
): OpenLoop<Data> {
  const result: Result = { kind: 'continued', ...(options === undefined ? {} : { options }), ...defined({ terms }) };
  const at = Date.now();
  // The time counts that a killed supervisor still worked after its last record.
  const back = { resumedAt: at, aliveUntil: signOfLifeAfter(loop.state.at, loop.folder) };
  const record = nextRecord(loop.state, { key: `continued/${loop.state.seq + 1}`, result, at, ...back });
  const state = machine.apply(loop.state, record);
  loop.journal.append(record);
  publishStatus(loop, state);
  return { ...loop, state };
}

/** Reads inputs again in which a key was masked; whatever else was edited since comes in with them. */
function wholeInputs(readAgain: (request: never, masked: never) => unknown): (record: Recorded) => Recorded {
  let options: unknown;
  return (record) => {
    const { masked, result } = record;
    if (result.kind === 'created') options = result.options;
    if (masked !== true || result.kind !== 'inputs' || result.inputs === undefined) return record;
    const inputs = readAgain(options as never, result.inputs as never);
    return inputs === undefined ? record : { ...record, result: { ...result, inputs } };
  };
}

function closing(journal: Journal, lock: Lock): () => void {
  return () => {
    journal.close();
    lock.release();
  };
}

export function lockFor({ root, exclusive, stopWith }: LoopHome, cwd: string, id: string): Lock {
  const attempt = tryLock(exclusive?.lock ?? workTreeLock(root, cwd), `loop ${id}`);
  if (attempt.got) return attempt.lock;
  const { holder, foreign, file } = attempt;
  const where = foreign ? ' on another machine or in another container' : '';
  const [, other] = /^loop (.+)$/.exec(holder.purpose) ?? [];
  const name = other === undefined ? holder.purpose : `loop ${shortName(root, other)}`;
  throw new RalphError(
    'LOCKED',
    `a loop is already running ${exclusive?.what ?? `in ${cwd}`} (pid ${holder.pid}${where}, ${name})`,
    {
      hint: foreign
        ? `If it is gone for good, remove ${file}`
        : `Stop it first: ${stopWith ?? `ralph stop ${name.replace(/^loop /, '')}`}`,
    },
  );
}

/** Reads a loop's state from its journal, without opening the loop. */
export function readLoop<Data>(machine: LoopMachine<Data>, folder: string): LoopState<Data> {
  const folded = folding(machine);
  eachRecord(journalPath(folder), (record) => folded.take(wholeRecord(record, folder)));
  return folded.state();
}

/** Applies `first`, if given, to the action that is due, then continues for as long as `perform` returns results. */
export function turnOpen<Data>(
  machine: LoopMachine<Data>,
  { journal }: Pick<OpenLoop<Data>, 'journal'>,
  from: LoopState<Data>,
  first: Result | null,
  perform: (action: Action) => Result | null,
): LoopState<Data> {
  return turnAtOnce(machine, from, first, { perform, append: journal.append, now: Date.now() });
}
