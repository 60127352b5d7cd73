/** A state directory after years of work: loops of every kind, including damaged ones and those of another release. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_USAGE } from '../../../src/core/budget/usage.ts';
import type { Ending } from '../../../src/core/ending.ts';
import type { LoopStatus } from '../../../src/state/registry.ts';

const KINDS = ['run', 'stories', 'task', 'job', 'ralph-loop', 'swarm', 'session'];
type Left = 'readable' | 'unreadable' | 'none';

interface Named {
  readonly id: string;
  readonly loopKind: string;
  readonly cwd: string;
  readonly options?: unknown;
}

interface Place {
  readonly folder: string;
  readonly id: string;
  readonly kind: string;
  readonly number: number;
  readonly cwd: string;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * Returns how many of them can be read, how many cannot, and how many of the folders are not loops. The journal of the
 * first one is complete; others have only what a list looks at. (The benchmarks use the same loops.)
 */
export function leaveLoops(root: string, count: number, cwd: string): Record<Left, number> {
  const left: Record<Left, number> = { readable: 0, unreadable: 0, none: 0 };
  for (let number = 0; number < count; number++) {
    const kind = KINDS[number % KINDS.length] ?? 'run';
    const id = idOf(kind, number);
    const folder = join(root, 'loops', id);
    mkdirSync(join(folder, 'runs'), { recursive: true, mode: 0o700 });
    left[leaveLoop({ folder, id, kind, number, cwd: number % 3 === 0 ? cwd : `/work/project-${number % 50}` })]++;
  }
  return left;
}

export function idOf(kind: string, number: number): string {
  // Distributed like random ids, but the same in every run.
  const random = (Math.imul(number + 1, 2654435761) >>> 0).toString(16).padStart(8, '0');
  return kind === 'session' ? `session-${random}-0000-4000-8000-000000000000` : `20260101-000000-${random}`;
}

function leaveLoop({ folder, id, kind, number, cwd }: Place): Left {
  const journal = join(folder, 'journal.jsonl');
  const createdAt = Date.now() - DAY_MS * (1 + (number % 400));
  const loop = { id, loopKind: kind, cwd };
  switch (number % 50) {
    case 10:
      writeFileSync(journal, 'what an editor has left of it\n{"v":4}\n');
      return 'unreadable';
    case 20:
      writeFileSync(journal, created({ ...loop, loopKind: 'of-another-release' }, createdAt));
      return 'unreadable';
    case 30:
      // Cut off before its first record.
      return 'none';
    case 0:
      // Its status was lost, so the journal is read.
      writeFileSync(
        journal,
        created({ ...loop, loopKind: 'run', options: { prompt: 'Fix it.', maximumIterations: 10 } }, createdAt),
      );
      return 'readable';
    default: {
      const ending = endingOf(number);
      const text = `${created(loop, createdAt)}${record(1, createdAt, 'end', { kind: 'ended', ending })}`;
      writeFileSync(journal, text);
      writeFileSync(join(folder, 'status.json'), `${JSON.stringify(statusOf(loop, { createdAt, ending, text }))}\n`);
      writeFileSync(join(folder, 'runs', '1-work-1.out'), 'What the agent said.\n'.repeat(50));
      return 'readable';
    }
  }
}

function endingOf(number: number): Ending | null {
  if (number % 4 === 0) return null;
  return number % 4 === 1 ? { kind: 'iteration-limit', limit: 10 } : { kind: 'done' };
}

function statusOf(
  loop: Named,
  { createdAt, ending, text }: { readonly createdAt: number; readonly ending: Ending | null; readonly text: string },
): LoopStatus {
  const usage = { ...NO_USAGE, runs: 3, costUsd: 0.42 };
  return {
    v: 2,
    ...loop,
    createdAt,
    updatedAt: createdAt + 3_600_000,
    ending,
    journalBytes: Buffer.byteLength(text),
    iterations: 3,
    phase: ending === null ? { at: 'inputs' } : { at: 'over', ending },
    workedMs: 180_000,
    usage,
    lastFailure: null,
    lastCommit: null,
    about: { limit: 10, agent: '/usr/bin/claude' },
    asked: null,
    task: null,
    fallback: null,
    transcript: ending === null ? 'runs/1-work-1.out' : null,
    leaving: { is: 'unknown' },
    consumed: null,
    told: [],
  };
}

const created = (loop: Named, at: number): string =>
  record(0, at, 'created', { kind: 'created', release: '0.1.0', options: {}, ...loop });

function record(seq: number, at: number, key: string, result: unknown): string {
  return `${JSON.stringify({ v: 4, seq, at, key, attempt: 1, result })}\n`;
}
