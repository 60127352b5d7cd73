/** What `ralph run` says when it is over. */
import {
  type ClosingSummary,
  describeLeft,
  endingDetails,
  type Left,
  type NextCommand,
  type WorkState,
} from '../../core/closing-summary.ts';
import { canContinue } from '../../core/ending.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import type { Instant } from '../../core/time.ts';
import { plural } from '../../core/usage.ts';
import type { RunData } from './rules.ts';

export function runClosing(
  state: LoopState<RunData>,
  left: Left,
  work: WorkState,
  clock: (at: Instant) => string,
): ClosingSummary {
  const { data, usage } = state;
  return {
    ...describeLeft(left, startedIterations(state)),
    durationMs: state.at - state.startedAt,
    usage,
    red: data.feedback.map(({ command, exitCode, log }) => ({ command, exit: `exit ${exitCode}`, log })),
    details: [
      ...checkDetails(data, left),
      ...(left.kind === 'iteration-limit' ? limitDetails(data) : []),
      // A configuration error is told above.
      ...(left.kind === 'configuration' ? [] : endingDetails(left, clock)),
      ...(left.kind === 'kept-failing' && refusesFlags(left.reason) ? [FLAGS] : []),
    ],
    work,
    next: nextCommands(state, left, work),
  };
}

function checkDetails({ inputs }: RunData, left: Left): string[] {
  if (left.kind !== 'done') return [];
  const checks = inputs?.guardrails.map(({ command }) => command) ?? [];
  if (checks.length === 0) return ['Nothing was checked: no guardrails are configured.'];
  return [`Passed in the agent's work tree: ${checks.join(', ')}.`];
}

/** Why the limit was reached: what the agent said, and what was true. */
function limitDetails({ inputs, tally, feedback }: RunData): string[] {
  if (inputs === null) return [];
  const { completionResponse: expected, guardrails, prompt } = inputs;
  const wanted = `<response>${expected}</response>`;
  if (tally.saidDone > 0) {
    const lastly = feedback.length > 0 ? '' : ', but not while all guardrails were green';
    return [`The agent said ${expected} ${plural(tally.saidDone, 'time')}${lastly}.`];
  }
  if (tally.almostDone !== null) {
    return [`The agent said <response>${tally.almostDone}</response>; only ${wanted} counts, without spaces.`];
  }
  const green =
    guardrails.length > 0 && tally.green > 0
      ? `All guardrails were green ${plural(tally.green, 'time')}, but the`
      : 'The';
  const unasked = prompt.toLowerCase().includes('<response>') ? '' : ' Your prompt does not ask for it.';
  return [`${green} agent never said ${wanted}.${unasked}`];
}

const FLAGS = 'It looks as if the agent does not know one of its flags: check agent.flags in .ralph/settings.json.';

/** The words of the usual parsers of command lines. */
function refusesFlags(reason = ''): boolean {
  return /\b(?:unknown|unrecognized|unexpected|invalid|no such|undefined) (?:option|argument|flag|switch)|flag provided but not defined/i.test(
    reason,
  );
}

function nextCommands({ id, data }: LoopState<RunData>, left: Left, work: WorkState): NextCommand[] {
  if (left.kind === 'done') {
    if (work.kind === 'committed') return [{ command: 'git log --stat -3', why: 'the latest commits' }];
    return work.kind === 'uncommitted' ? [{ command: 'git status', why: 'what is not committed' }] : [];
  }
  if (left.kind === 'iteration-limit') {
    const more = (data.inputs?.maximumIterations ?? left.limit) * 2;
    return [{ command: `ralph resume ${id} -m ${more}`, why: 'continue with more iterations' }];
  }
  if (left.kind !== 'interrupted' && !canContinue(left)) return [];
  return [{ command: `ralph resume ${id}`, why: CONTINUE[left.kind] ?? 'continue' }];
}

const CONTINUE: Readonly<Partial<Record<Left['kind'], string>>> = {
  auth: 'continue, once the agent is logged in',
  configuration: 'continue, once that is fixed',
  'usage-limit': 'continue, once the limit is reset',
  unpublished: 'publish it, once that is fixed',
  'kept-failing': 'continue, once the agent works again',
};
