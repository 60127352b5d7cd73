/** Short constructors for the results that performers report. */
import { CHECK_KINDS } from '../../../src/checks/index.ts';
import { effectiveSettings } from '../../../src/config/settings.ts';
import { outcomeOfCommand } from '../../../src/core/check.ts';
import type { Outcome } from '../../../src/core/outcome.ts';
import type { Result } from '../../../src/core/record.ts';
import type { Json } from '../../../src/core/text/json.ts';
import type { Guardrail } from '../../../src/loops/run/guardrails.ts';
import { inputsFrom } from '../../../src/loops/run/inputs.ts';
import { runRequest } from '../../../src/loops/run/request.ts';
import type { RunInputs } from '../../../src/loops/run/state.ts';

export const STARTED: Result = { kind: 'started', handle: { runner: 'direct', name: '1-work-1' } };
export const WAITED: Result = { kind: 'waited' };
export const INTERRUPTED: Result = { kind: 'interrupted', reason: 'cancelled' };

export const REQUEST = { ...runRequest({ prompt: 'Do it.' }), chosen: null };

export function ran(outcome: Outcome, tag: string | null = null, firstLine: string | null = tag): Result {
  return { kind: 'ran', outcome, said: { tag, firstLine }, transcript: { path: 'runs/1-work-1.out', bytes: 10 } };
}

export function worked(tag: string | null = null, firstLine: string | null = tag): Result {
  return ran({ kind: 'worked' }, tag, firstLine);
}

export function failed(code = 1): Result {
  return ran({ kind: 'failed', exit: { by: 'code', code } });
}

export function checked(index: number, passed: boolean, output = ''): Result {
  const outcome = outcomeOfCommand({ by: 'code', code: passed ? 0 : 1 });
  return { kind: 'checked', index, outcome, log: `.ralph/${index}.log`, output, truncated: false, durationMs: 5 };
}

export function published(index: number, status: 'done' | 'nothing' | 'failed' = 'done'): Result {
  return { kind: 'published', index, task: 'commit', status, detail: 'abc' };
}

export function inputs(given: Partial<RunInputs> = {}): Result {
  const read: RunInputs = { ...RUN_INPUTS, ...given };
  return { kind: 'inputs', digest: 'd1', inputs: read as unknown as Json };
}

export function guardrail(command: string, failAction: Guardrail['failAction'], hint: string | null = null): Guardrail {
  return { command, failAction, hint, timeoutMs: null };
}

export function git(...tasks: readonly string[]): NonNullable<RunInputs['scm']> {
  return { command: 'git', tasks, stage: 'tracked' };
}

/** The inputs from the smallest settings. */
const RUN_INPUTS = inputsFrom(
  effectiveSettings({ base: { agent: { command: 'agent' } }, local: null }, CHECK_KINDS),
  REQUEST,
  'Do it.',
);
