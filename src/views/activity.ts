/** What the agent of a loop is doing now, read from the end of its output. */
import type { AgentParser } from '../agents/profile.ts';
import type { AgentEvent } from '../core/events.ts';
import type { Instant } from '../core/time.ts';
import type { LoopStore, ReadableLoop } from '../engine/store/loop-store.ts';

export interface Activity {
  /** Its current tool, or the last line that it said; null if neither is known. */
  readonly text: string | null;
  readonly changedAt: Instant;
}

/** Bytes read from the end of the output; usually enough for the last events. */
const LOOKED_AT = 64 * 1024;

/** Null if no agent is at work or it has printed nothing. */
export async function activityOf(store: LoopStore, loop: ReadableLoop): Promise<Activity | null> {
  return activityReader(store)(loop);
}

interface Heard {
  readonly transcript: string;
  readonly parser: AgentParser;
  readonly activity: Activity;
  /** The offset at which the next read begins. */
  readonly next: number;
  /** The beginning of a line whose end is not printed yet. */
  readonly rest: Buffer;
}

/** Like `activityOf`, for polling one loop: each call reads only what was printed since the last one. */
export function activityReader(store: LoopStore): (loop: ReadableLoop) => Promise<Activity | null> {
  let heard: Heard | null = null;
  return async (loop) => {
    const { transcript, about, id, supervisor } = loop;
    if (transcript === null || supervisor === null) {
      heard = null;
      return null;
    }
    const before = heard?.transcript === transcript ? heard : null;
    const part = await store.transcript(id, transcript, before === null ? { last: LOOKED_AT } : { from: before.next });
    if (part === null) return null;
    if (before !== null && part.bytes.length === 0) return before.activity;
    const parser = before?.parser ?? (await parserFor(about.agent ?? ''));
    const isCut = before === null && part.next !== part.bytes.length;
    const bytes = Buffer.concat([before?.rest ?? Buffer.alloc(0), part.bytes]);
    const lines = bytes
      .toString('utf8')
      .split('\n')
      .slice(isCut ? 1 : 0);
    const begun = bytes.subarray(bytes.lastIndexOf(LF) + 1);
    // The log of a pane and plain text have no events, so show the last line.
    const events = parser.hasStructure ? lines.flatMap((line) => parser.parse(line)) : [];
    const text = describe(events) ?? (parser.hasStructure ? null : lastLine(lines)) ?? before?.activity.text ?? null;
    const rest = begun.length > LOOKED_AT ? Buffer.alloc(0) : Buffer.from(begun);
    heard = { transcript, parser, activity: { text, changedAt: part.changedAt }, next: part.next, rest };
    return heard.activity;
  };
}

const LF = 0x0a;

/** Imported only when an agent is at work: most lists show none. */
async function parserFor(command: string): Promise<AgentParser> {
  const { profileFor } = await import('../agents/index.ts');
  const choice = { command, flags: [], mode: 'stream' } as const;
  return profileFor(choice.command).parser(choice);
}

function describe(events: readonly AgentEvent[]): string | null {
  const last = events.findLast(({ type }) => type === 'tool-start' || type === 'text');
  if (last?.type === 'tool-start') return `${last.name} ${last.input}`.trim();
  return last?.type === 'text' ? lastLine(last.text.split('\n')) : null;
}

const lastLine = (lines: readonly string[]): string | null =>
  lines.findLast((line) => line.trim() !== '')?.trim() ?? null;
