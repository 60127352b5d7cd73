/** What the agent of a loop does at this moment, read from the end of what it has printed. */
import { profileFor } from '../agents/index.ts';
import type { AgentEvent } from '../core/events.ts';
import type { Instant } from '../core/time.ts';
import type { LoopStore, ReadableLoop } from '../engine/store/loop-store.ts';

export interface Activity {
  /** Its current tool, or the last line that it said; null where neither is known. */
  readonly text: string | null;
  readonly changedAt: Instant;
}

/** As a rule the last events fit. */
const LOOKED_AT = 64 * 1024;

/** Null where no agent is at work, or it has printed nothing. */
export async function activityOf(store: LoopStore, loop: ReadableLoop): Promise<Activity | null> {
  const { transcript, about, id } = loop;
  if (transcript === null || loop.supervisor === null) return null;
  const part = await store.transcript(id, transcript, { last: LOOKED_AT });
  if (part === null) return null;
  const lines = Buffer.from(part.bytes).toString('utf8').split('\n');
  const isWhole = part.next === part.bytes.length;
  const whole = isWhole ? lines : lines.slice(1);
  const choice = { command: about.agent ?? '', flags: [], mode: 'stream' } as const;
  const parser = profileFor(choice.command).parser(choice);
  // A pane's log and plain text have no events: the last line says most.
  const events = parser.hasStructure ? whole.flatMap((line) => parser.parse(line)) : [];
  const text = describe(events) ?? (parser.hasStructure ? null : lastLine(whole));
  return { text, changedAt: part.changedAt };
}

function describe(events: readonly AgentEvent[]): string | null {
  const last = events.findLast(({ type }) => type === 'tool-start' || type === 'text');
  if (last?.type === 'tool-start') return `${last.name} ${last.input}`.trim();
  return last?.type === 'text' ? lastLine(last.text.split('\n')) : null;
}

const lastLine = (lines: readonly string[]): string | null =>
  lines.findLast((line) => line.trim() !== '')?.trim() ?? null;
