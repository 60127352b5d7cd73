/**
 * What a run leaves on disk about its processes, so that whoever comes after a crash can find and end exactly them.
 * Line 1 is written before the spawn (how the run is contained), line 2 after it (who was started): there is no
 * moment at which a process lives that nothing on disk leads to.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import type { Rung } from './containment.ts';
import type { ProcessIdentity } from './identity.ts';

export interface Plan {
  readonly v: 1;
  readonly rung: Rung;
  readonly mark: string;
  /** The cgroup's path, on that rung. */
  readonly leaf: string | null;
}

export interface Trace {
  readonly plan: Plan;
  readonly leader: ProcessIdentity | null;
}

const FILE = 'process.jsonl';

export function writePlan(folder: string, plan: Plan): void {
  writeFileSync(join(folder, FILE), `${JSON.stringify(plan)}\n`, { flag: 'wx' });
}

export function writeLeader(folder: string, leader: ProcessIdentity): void {
  appendFileSync(join(folder, FILE), `${JSON.stringify(leader)}\n`);
}

/** Null when the run was claimed but never came to a plan: nothing of it can be running. */
export function readTrace(folder: string): Trace | null {
  let text: string;
  try {
    text = readFileSync(join(folder, FILE), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  // A line cut off by the supervisor's death counts as not written.
  const [plan, leader] = text.split('\n').slice(0, -1);
  if (plan === undefined) return null;
  return {
    plan: JSON.parse(plan) as Plan,
    leader: leader === undefined ? null : (JSON.parse(leader) as ProcessIdentity),
  };
}
