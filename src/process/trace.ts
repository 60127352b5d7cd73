/**
 * How the next supervisor after a crash finds and ends a run's processes. The plan is written before the spawn, the
 * leader (who was started) after it: something on disk always leads to every process. One file for all runs.
 */
import { closeSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import { parsedJson } from '../core/text/json.ts';
import type { ContainmentLevel } from './containment/levels.ts';
import { bytesAt, ifThere, openPlain, writeFile } from './files.ts';
import type { ProcessIdentity } from './identity/identity.ts';

export interface Plan {
  readonly v: 1;
  readonly level: ContainmentLevel;
  readonly mark: string;
  /** The cgroup's path, on that level; otherwise null. */
  readonly leaf: string | null;
}

export interface Trace {
  readonly plan: Plan;
  readonly leader: ProcessIdentity | null;
}

type Started = { readonly mark: string; readonly leader: ProcessIdentity };
type Line = { readonly plan: Plan } | Started;
type KeptPlan = Omit<Plan, 'level'> & { readonly rung: ContainmentLevel };
type KeptLine = { readonly plan: KeptPlan } | Started;

const FILE = 'processes.jsonl';

export function writeTrace(folder: string, line: Line): void {
  const kept = 'plan' in line ? { plan: keptPlan(line.plan) } : line;
  // Begins with a newline: a supervisor that died in the middle of its line must not spoil this one.
  writeFile(join(folder, FILE), `\n${JSON.stringify(kept)}\n`, { flag: 'a', mode: 0o600 });
}

/** Null if the run was claimed but its plan was never written: nothing of it can be running. */
export function readTrace(folder: string, mark: string): Trace | null {
  return lastTrace(folder, (plan) => plan.mark === mark);
}

/** Of the run that was started last in the folder. */
export function readLastTrace(folder: string): Trace | null {
  return lastTrace(folder, () => true);
}

function lastTrace(folder: string, isWanted: (plan: Plan) => boolean): Trace | null {
  const leaders = new Map<string, ProcessIdentity>();
  for (const line of linesFromTheEnd(folder)) {
    if ('leader' in line && !leaders.has(line.mark)) leaders.set(line.mark, line.leader);
    if (!('plan' in line)) continue;
    const plan = planFrom(line.plan);
    // A mark belongs to one start, whose plan was written first: lines before the plan do not concern it.
    if (isWanted(plan)) return { plan, leader: leaders.get(plan.mark) ?? null };
  }
  return null;
}

const CHUNK = 64 * 1024;
const LF = 0x0a;

/** Read backwards: the file grows with its loop, and the wanted lines were nearly always written last. */
function* linesFromTheEnd(folder: string): Generator<KeptLine> {
  const path = join(folder, FILE);
  const fd = ifThere(() => openPlain(path));
  if (fd === null) return;
  try {
    let tail = Buffer.alloc(0);
    for (let end = fstatSync(fd).size, length = CHUNK; end > 0; length *= 2) {
      const start = Math.max(0, end - length);
      const bytes = Buffer.concat([bytesAt(fd, path, start, end - start), tail]);
      // The first line may begin in the part that is read next.
      const begin = start === 0 ? 0 : bytes.indexOf(LF) + 1 || bytes.length;
      yield* linesIn(bytes.toString('utf8', begin)).toReversed();
      tail = bytes.subarray(0, begin);
      end = start;
    }
  } finally {
    closeSync(fd);
  }
}

function linesIn(text: string): KeptLine[] {
  // Every other line is empty. A line that was cut off by the supervisor's death is ignored.
  return text.split('\n').flatMap((line) => {
    const value = line === '' ? null : parsedJson(line);
    return isLine(value) ? [value] : [];
  });
}

function keptPlan({ level, ...plan }: Plan): KeptPlan {
  return { ...plan, rung: level };
}

/** The file calls the level `rung`: releases that clean up after each other agree on that name. */
function planFrom({ rung, ...plan }: KeptPlan): Plan {
  return { ...plan, level: rung };
}

function isLine(value: unknown): value is KeptLine {
  const { plan, mark } = (value ?? {}) as Partial<{ plan: Partial<KeptPlan>; mark: string }>;
  return typeof (plan?.mark ?? mark) === 'string';
}
