/** However a line is damaged, the parsers continue: none throws, and no tag on another line is lost. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { heardFrom, recordedStreams } from '../../test/support/recorded/streams.ts';
import { times } from '../../test/support/sweep.ts';

const LINE_END = 0x0a;
const MUTATIONS = times(100_000, 5000);
const STREAMS = recordedStreams().map((stream) => ({ ...stream, lines: linesOf(stream.stdout) }));

/** Positions are fractions, so that they fit any line. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array));
const mutation = fc.oneof(
  fc.record({ do: fc.constant('replace' as const), at: place, bytes }),
  fc.record({ do: fc.constant('insert' as const), at: place, bytes }),
  fc.record({ do: fc.constant('cut' as const), at: place, to: place }),
  fc.record({ do: fc.constant('repeat' as const), at: place, to: place }),
  fc.record({ do: fc.constant('drop' as const) }),
  fc.record({ do: fc.constant('odd value' as const), at: place, value: fc.json({ maxDepth: 2 }) }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

test(`${MUTATIONS} mutations of what real agents printed`, () => {
  const streams = fc.constantFrom(...STREAMS);
  let tagged = 0;
  fc.assert(
    fc.property(streams, place, mutation, (stream, where, change) => {
      const target = Math.floor(where * stream.lines.length);
      const lines = stream.lines.map((line, index) => (index === target ? mutated(line, change) : line));
      const { said } = heardFrom(stream, Buffer.concat(lines));
      const hasTag = stream.lines.some((line) => line.includes('response>'));
      if (!hasTag || stream.lines.some((line, index) => index === target && maySpeak(line))) return;
      tagged++;
      expect(said.tag).toBe('DONE');
    }),
    { numRuns: MUTATIONS },
  );
  // Otherwise the property would hold without testing anything.
  expect(tagged).toBeGreaterThan(MUTATIONS / 10);
}, 300_000);

/** Whether the line holds a tag, or a piece of the text that contains one. */
function maySpeak(line: Buffer): boolean {
  return line.includes('response>') || line.includes('"delta":true');
}

function linesOf(stream: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < stream.length; ) {
    const end = stream.indexOf(LINE_END, start);
    const stop = end < 0 ? stream.length : end + 1;
    lines.push(stream.subarray(start, stop));
    start = stop;
  }
  return lines;
}

/** Keeps the line end: other lines are not affected. */
function mutated(line: Buffer, change: Mutation): Buffer {
  const end = line.at(-1) === LINE_END ? line.length - 1 : line.length;
  const body = line.subarray(0, end);
  return Buffer.concat([...pieces(body, change), line.subarray(end)]);
}

function pieces(body: Buffer, change: Mutation): readonly Buffer[] {
  const at = 'at' in change ? Math.floor(change.at * body.length) : 0;
  const to = 'to' in change ? Math.max(at, Math.floor(change.to * body.length)) : at;
  switch (change.do) {
    case 'replace':
      return [body.subarray(0, at), change.bytes, body.subarray(at + change.bytes.length)];
    case 'insert':
      return [body.subarray(0, at), change.bytes, body.subarray(at)];
    case 'cut':
      return [body.subarray(0, at), body.subarray(to)];
    case 'repeat':
      return [body.subarray(0, to), body.subarray(at)];
    case 'drop':
      return [];
    case 'odd value':
      return [Buffer.from(withOddValue(body.toString('utf8'), change.at, change.value))];
  }
}

/** Replaces the value of one field with arbitrary JSON: still a valid line, but not what the parser expects. */
function withOddValue(line: string, at: number, value: string): string {
  const fields = [...line.matchAll(/":("(?:[^"\\]|\\.)*"|\d+|true|false|null)/g)];
  const field = fields[Math.floor(at * fields.length)];
  if (field === undefined) return line;
  const start = field.index + 2;
  return `${line.slice(0, start)}${value}${line.slice(start + (field[1]?.length ?? 0))}`;
}
