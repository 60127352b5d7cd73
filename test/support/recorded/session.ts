/** The events that a real agent sent to its hooks, with its transcript as it was at each of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Mark, SessionEvent, SessionHost, WorkSeen } from '../../../src/agents/session/host.ts';
import { testFolder } from '../folder.ts';

export interface HeardAt {
  readonly event: SessionEvent | null;
  /** At the end of a turn of the agent: what was new. */
  readonly work: WorkSeen | null;
}

interface RecordedEvent {
  /** How many lines the transcript had. */
  readonly lines: number;
  readonly input: Readonly<Record<string, unknown>>;
}

const FOLDER = resolve(import.meta.dirname, '../../fixtures/session');

/** Replays the whole session, as the hook would: each stop is judged from the mark that the last one left. */
export function replay(host: SessionHost, name: string): HeardAt[] {
  const transcript = linesOf(`${name}-transcript.jsonl`);
  const path = join(testFolder(), 'transcript.jsonl');
  let mark: Mark = { transcript: path, offset: 0 };
  return linesOf(`${name}-events.jsonl`).map((line) => {
    const { lines, input } = JSON.parse(line) as RecordedEvent;
    writeFileSync(path, transcript.slice(0, lines).join('\n').concat('\n'));
    const event = host.readEvent({ ...input, transcript_path: path });
    if (event?.on === 'command') mark = host.markNow(event);
    const work = event?.on === 'stop' ? host.workSince(event, mark) : null;
    mark = work?.mark ?? mark;
    return { event, work };
  });
}

function linesOf(file: string): string[] {
  return readFileSync(join(FOLDER, file), 'utf8').trimEnd().split('\n');
}
