/** Follows the selected loop: its records as they come, its agent's output, and the texts of tabs that are open. */
import type { Recorded } from '../../core/record.ts';
import type { Mask } from '../../core/text/mask.ts';
import type { Duration } from '../../core/time.ts';
import { treesOf } from '../../core/trees.ts';
import type { LoopStore, ReadableLoop } from '../../engine/store/loop-store.ts';
import { type LoggedRun, type LogLine, loopLog, runLines } from '../../views/loop-log.ts';
import { machineOf } from '../../views/machines.ts';
import { type Timeline, timelineOf } from '../../views/timeline/timeline.ts';
import type { Detail, Panel, StreamText } from '../data.ts';

/** How much earlier output is shown; the rest is in the log. */
const EARLIER_BYTES = 512 * 1024;
const MOST_LINES = 6000;
const KEPT_LINES = 4000;
const MOST_READ_LINES = 50_000;
/** While records keep coming, the time line is rebuilt this often for what is drawn; a key needs the current one. */
const TIMELINE_EVERY_MS: Duration = 1000;
/** At most 1/20 of the time is spent on the time line, however long the journal is. */
const TIMELINE_SHARE = 20;

interface Options {
  readonly store: LoopStore;
  readonly loop: ReadableLoop;
  readonly mask: Mask;
  /** Columns of a line of the stream. */
  readonly width: number;
  /** The user has scrolled back: the lines that they read must not move away. */
  isRead(): boolean;
  onChange(): void;
}

interface Growing {
  readonly run: LoggedRun;
  readonly lines: ReturnType<typeof runLines>;
  from: number;
}

export type LiveDetail = ReturnType<typeof liveDetail>;

export function liveDetail({ store, loop, mask, width, isRead, onChange }: Options) {
  const { id, loopKind } = loop;
  const stop = new AbortController();
  const records: Recorded[] = [];
  const panels = new Map<string, Panel>();
  let lines: LogLine[] = [];
  let stream: StreamText = { lines, isCut: false };
  let growing: Growing | null = null;
  let timeline: Timeline | null = null;
  let lastEnded = 0;
  let [madeOf, madeAt, tookMs] = [0, 0, 0];
  let fold: ((all: readonly Recorded[]) => Timeline) | null = null;
  let shown: Detail | null = null;

  const add = (line: LogLine): void => {
    lines.push({ ...line, text: mask(line.text) });
    if (lines.length <= (isRead() ? MOST_READ_LINES : MOST_LINES)) return;
    lines = lines.slice(-KEPT_LINES);
    stream = { lines, isCut: true };
  };
  const begin = (run: LoggedRun, from: number): Growing => ({
    run,
    lines: runLines(run, mask, (text) => add({ text })),
    from,
  });
  const grow = async (): Promise<boolean> => {
    const one = growing;
    if (one === null) return false;
    let isNew = false;
    for (; !stop.signal.aborted; isNew = true) {
      const part = await store.transcript(id, one.run.transcript, { from: one.from });
      if (part === null || part.bytes.length === 0) break;
      one.from = part.next;
      one.lines.push(Buffer.from(part.bytes));
    }
    return isNew;
  };
  /** Reads the output of earlier runs, starting with the newest, until `EARLIER_BYTES` are used up. */
  const readEarlier = async (parts: readonly (LogLine | LoggedRun)[]): Promise<void> => {
    let room = EARLIER_BYTES;
    const ends = new Map<LoggedRun, { readonly bytes: Uint8Array; readonly next: number }>();
    for (const part of parts.toReversed()) {
      if (!('transcript' in part) || room <= 0) continue;
      const read = await store.transcript(id, part.transcript, { last: room });
      if (read === null) continue;
      ends.set(part, read);
      room -= read.bytes.length;
    }
    const runs = parts.filter((part): part is LoggedRun => 'transcript' in part);
    const from = runs.find((run) => ends.has(run));
    const begun = from === undefined ? 0 : parts.indexOf(from);
    stream = { lines, isCut: begun > 0 && runs[0] !== from };
    for (const part of stream.isCut ? parts.slice(Math.max(0, begun - 1)) : parts) {
      if (!('transcript' in part)) {
        add(part);
        continue;
      }
      const read = ends.get(part);
      if (read === undefined) continue;
      const isWhole = read.next === read.bytes.length;
      if (!isWhole) stream = { lines, isCut: true };
      const bytes = Buffer.from(read.bytes);
      growing = begin(part, read.next);
      growing.lines.push(isWhole ? bytes : bytes.subarray(bytes.indexOf(0x0a) + 1));
      if (part !== runs.at(-1)) growing.lines.end();
    }
  };
  const run = async (): Promise<void> => {
    const machine = await machineOf(loopKind);
    if (machine === null) return;
    fold = (all) => timelineOf(all, machine);
    const log = loopLog(machine, { mask, width, only: null });
    const parts: (LogLine | LoggedRun)[] = [];
    for (const record of await store.records(id)) {
      records.push(record);
      const taken = log.take(record);
      parts.push(...taken.lines, ...(taken.run === null ? [] : [taken.run]));
    }
    await readEarlier(parts);
    shown = null;
    onChange();
    for await (const record of store.follow(id, records.length, stop.signal)) {
      records.push(record);
      // Output that the agent printed before this record comes first.
      await grow();
      const taken = log.take(record);
      if (taken.lines.length > 0 || taken.run !== null) growing?.lines.end();
      for (const line of taken.lines) add(line);
      if (taken.run !== null) growing = begin(taken.run, 0);
      shown = null;
      onChange();
    }
  };
  const failed = (error: unknown): void => {
    add({ text: `cannot read the journal: ${error instanceof Error ? error.message : String(error)}`, style: 'red' });
    shown = null;
    onChange();
  };
  void run().catch(failed);

  const currentTimeline = (isForKey: boolean): Timeline | null => {
    const at = performance.now();
    const isDue =
      timeline === null || at - madeAt > Math.max(isForKey ? 0 : TIMELINE_EVERY_MS, tookMs * TIMELINE_SHARE);
    if (fold === null || records.length === madeOf || records.length === 0 || !isDue) return timeline;
    timeline = fold(records);
    lastEnded = treesOf(records).last;
    [madeOf, madeAt, tookMs] = [records.length, at, performance.now() - at];
    return timeline;
  };
  return {
    id,
    snapshot({ isForKey = false } = {}): Detail {
      const now = currentTimeline(isForKey);
      if (shown === null || shown.timeline !== now || shown.stream !== stream)
        shown = { id, stream, timeline: now, lastEnded, panels };
      return shown;
    },
    /** Reads what the agent has printed since the last call. */
    async look(): Promise<void> {
      if (await grow()) onChange();
    },
    /** Reads the text of a panel; the old text stays until the new one has arrived. */
    async read(name: string, read: () => Promise<readonly LogLine[]>): Promise<void> {
      const panel = await read().then(
        (got) => ({ lines: got.map((line) => ({ ...line, text: mask(line.text) })), problem: null }),
        (error: unknown) => ({ lines: [], problem: error instanceof Error ? error.message : String(error) }),
      );
      if (stop.signal.aborted) return;
      panels.set(name, panel);
      shown = null;
      onChange();
    },
    records: (): number => records.length,
    close: (): void => stop.abort(),
  };
}

/** How often to read new output, and how long a loop must stay selected before it is read. */
export const LOOK_EVERY_MS: Duration = 250;
export const REST_MS: Duration = 120;
