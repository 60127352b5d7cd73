/** Adds to each record of a loop its iteration, how long it took, and what was known then. Pure. */
import type { Asked, LoopMachine } from '../../core/machine/machine.ts';
import { drivenMs, type Recorded, type Result } from '../../core/record.ts';
import type { StepSummary } from '../../core/rules.ts';
import type { Duration, Instant } from '../../core/time.ts';

/** A record with what was known when it was made. */
export interface Moment {
  readonly iteration: number;
  readonly key: string;
  readonly at: Instant;
  readonly result: Result;
  /** How long it took while a supervisor drove the loop. */
  readonly ms: Duration;
  readonly doing: 'agent' | 'checks' | 'wait' | 'other';
  readonly asked: Asked;
  /** For a step that only this loop kind has. */
  readonly summary: StepSummary | null;
  /** HEAD before this record, according to earlier ones; null if there was no commit, undefined if it is not known. */
  readonly headBefore: string | null | undefined;
}

export type KindMachine = Pick<LoopMachine<unknown>, 'asked' | 'stepSummary'>;

/** Keys of records that waited for a person's answer. */
const ASKS = /^\d+\/ask\//;

/** Skips the records that a supervisor left: they took no time and changed nothing. */
export function momentsOf(all: readonly Recorded[], machine: KindMachine): Moment[] {
  const records = all.filter(({ result }) => result.kind !== 'left');
  const created = records[0]?.result;
  const options = created?.kind === 'created' ? created.options : null;
  let asked = machine.asked(options, null);
  let iteration = 1;
  let head = created?.kind === 'created' ? created.base?.commit : undefined;
  return records.slice(1).map((record, index) => {
    const { key, at, result } = record;
    const before = records[index];
    if (result.kind === 'inputs' && result.inputs !== undefined) asked = machine.asked(options, result.inputs);
    const summary = result.kind === 'stepped' ? machine.stepSummary(result.what, result.gave) : null;
    // The key of an ending or a continuation does not begin with a number: it belongs to the current iteration.
    iteration = Number.parseInt(key, 10) || iteration;
    // A loop that is paused, asks a person or has not been continued yet does not work.
    const isAfterPause = before?.result.kind === 'waited' && before.result.command === 'pause';
    const isStill = result.kind === 'continued' || isAfterPause || ASKS.test(key);
    const ms = isStill ? 0 : drivenMs(record, before?.at ?? at);
    const headBefore = head;
    head = headAfter(result) ?? head;
    const doing = doingOf(result, before?.result, summary);
    return { iteration, key, at, result, ms, doing, asked, summary, headBefore };
  });
}

/** HEAD at this record; undefined if the record does not say. */
export function headAfter(result: Result): string | undefined {
  if (isCommit(result)) return result.detail;
  const tree = result.kind === 'started' || result.kind === 'ran' ? result.tree : undefined;
  return tree?.commit == null ? undefined : tree.head;
}

function doingOf({ kind }: Result, before: Result | undefined, summary: StepSummary | null): Moment['doing'] {
  if (kind === 'checked' || summary?.isChecking === true) return 'checks';
  if (kind === 'waited') return 'wait';
  const isCutOff = before?.kind === 'started' && (kind === 'interrupted' || kind === 'ended');
  return kind === 'started' || kind === 'ran' || isCutOff ? 'agent' : 'other';
}

/** An iteration without any of these has only read its inputs. */
const BEGINS: ReadonlySet<Result['kind']> = new Set(['started', 'unstartable', 'ran', 'checked', 'published']);

export function hasBegun(records: readonly Pick<Recorded, 'result'>[]): boolean {
  return records.some(({ result }) => BEGINS.has(result.kind) && !isBaseline(result));
}

export const isBaseline = (result: Result): boolean => result.kind === 'checked' && result.isBaseline === true;

export function isCommit(result: Result): result is Result & { readonly kind: 'published' } {
  return result.kind === 'published' && result.task === 'commit' && result.status === 'done' && result.detail !== '';
}
