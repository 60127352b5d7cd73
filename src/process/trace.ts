/**
 * What the next supervisor after a crash finds and ends a run's processes by. Its plan is written before the spawn, its
 * leader (who was started) after it: no process ever lives that nothing on disk leads to. One file for all runs.
 */
import { join } from 'node:path';
import { parsedJson } from '../core/text/json.ts';
import type { ContainmentLevel } from './containment/levels.ts';
import { ifThere, readPlainText, writeFile } from './files.ts';
import type { ProcessIdentity } from './identity/identity.ts';

export interface Plan {
  readonly v: 1;
  readonly level: ContainmentLevel;
  readonly mark: string;
  /** The cgroup's path, on that level. */
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
const LARGEST = 1024 * 1024 * 1024;

export function writeTrace(folder: string, line: Line): void {
  const kept = 'plan' in line ? { plan: keptPlan(line.plan) } : line;
  // A supervisor that died in the middle of its line must not spoil the next one: each begins on a new one.
  writeFile(join(folder, FILE), `\n${JSON.stringify(kept)}\n`, { flag: 'a', mode: 0o600 });
}

/** Null when the run was claimed but never came to a plan: nothing of it can be running. */
export function readTrace(folder: string, mark: string): Trace | null {
  let plan: Plan | null = null;
  let leader: ProcessIdentity | null = null;
  for (const line of readLines(folder)) {
    if ('plan' in line && line.plan.mark === mark) plan = line.plan;
    if ('leader' in line && line.mark === mark) leader = line.leader;
  }
  return plan === null ? null : { plan, leader };
}

/** Of whatever was started last in the folder. */
export function readLastTrace(folder: string): Trace | null {
  const last = readLines(folder).findLast((line) => 'plan' in line);
  return last === undefined ? null : readTrace(folder, last.plan.mark);
}

function readLines(folder: string): Line[] {
  const text = ifThere(() => readPlainText(join(folder, FILE), LARGEST)) ?? '';
  // One that is empty, or was cut off by the supervisor's death, was not written.
  const lines = text.split('\n').map(parsedJson).filter(isLine);
  return lines.map((line) => ('plan' in line ? { plan: planFrom(line.plan) } : line));
}

function keptPlan({ level, ...plan }: Plan): KeptPlan {
  return { ...plan, rung: level };
}

/** In the file, the level has another name. Releases that clean up after each other agree on it. */
function planFrom({ rung, ...plan }: KeptPlan): Plan {
  return { ...plan, level: rung };
}

function isLine(value: unknown): value is KeptLine {
  const { plan, mark } = (value ?? {}) as Partial<{ plan: Partial<KeptPlan>; mark: string }>;
  return typeof (plan?.mark ?? mark) === 'string';
}
