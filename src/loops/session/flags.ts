/** From flags and a task to a request, or to what is wrong with them. */
import type { FlagName, GivenFlag } from './flag-words.ts';
import {
  LONGEST_CHECKS_SECONDS,
  MOST_ITERATIONS,
  NO_WORK_POLICIES,
  PROMISE_POSITIONS,
  promiseTrouble,
  SESSION_DEFAULTS,
  type SessionRequest,
} from './request.ts';

type Wrong = { readonly wrong: string };

const MOST = Number.MAX_SAFE_INTEGER;

export function requestFrom(
  flags: readonly Pick<GivenFlag, 'name' | 'value'>[],
  task: string,
  ultrawork: boolean,
): SessionRequest | Wrong {
  const twice = flags.find(
    ({ name }, index) => name !== 'check' && flags.findIndex((flag) => flag.name === name) < index,
  );
  if (twice !== undefined) return { wrong: `--${twice.name} is given twice` };
  if (task.trim() === '') return { wrong: 'the task is missing' };
  let request: SessionRequest = { ...SESSION_DEFAULTS, task, ultrawork };
  for (const { name, value } of flags) {
    const taken = take(name, value, request);
    if ('wrong' in taken) return taken;
    request = { ...request, ...taken };
  }
  return request;
}

/** The flags that ask for this request: its limit, and what is not the default. */
export function flagsOf(request: SessionRequest): Pick<GivenFlag, 'name' | 'value'>[] {
  const { checks, stuckAfter, checkSeconds, promise, minToolCalls, onPromiseNoWork, promisePosition } = request;
  const unlessDefault = (name: FlagName, value: string | number, usual: string | number) =>
    value === usual ? [] : [{ name, value: String(value) }];
  return [
    { name: 'max-iterations', value: String(request.maximumIterations) },
    ...unlessDefault('completion-promise', promise, SESSION_DEFAULTS.promise),
    ...unlessDefault('min-tool-calls', minToolCalls, SESSION_DEFAULTS.minToolCalls),
    ...unlessDefault('on-promise-no-work', onPromiseNoWork, SESSION_DEFAULTS.onPromiseNoWork),
    ...unlessDefault('promise-position', promisePosition, SESSION_DEFAULTS.promisePosition),
    ...(stuckAfter === null ? [] : [{ name: 'stuck-after' as const, value: String(stuckAfter) }]),
    ...checks.map((value) => ({ name: 'check' as const, value })),
    ...unlessDefault('check-timeout', checkSeconds, SESSION_DEFAULTS.checkSeconds),
  ];
}

function take(name: FlagName, value: string, request: SessionRequest): Partial<SessionRequest> | Wrong {
  switch (name) {
    case 'max-iterations':
      return numbered(name, value, 1, MOST_ITERATIONS, (maximumIterations) => ({ maximumIterations }));
    case 'min-tool-calls':
      return numbered(name, value, 0, MOST, (minToolCalls) => ({ minToolCalls }));
    case 'stuck-after':
      return numbered(name, value, 1, MOST, (stuckAfter) => ({ stuckAfter }));
    case 'check-timeout':
      return numbered(name, value, 1, LONGEST_CHECKS_SECONDS, (checkSeconds) => ({ checkSeconds }));
    case 'completion-promise': {
      const trouble = promiseTrouble(value);
      return trouble === null ? { promise: value } : { wrong: `--${name}: ${trouble}` };
    }
    case 'on-promise-no-work':
      return oneOf(name, value, NO_WORK_POLICIES, (onPromiseNoWork) => ({ onPromiseNoWork }));
    case 'promise-position':
      return oneOf(name, value, PROMISE_POSITIONS, (promisePosition) => ({ promisePosition }));
    case 'check':
      if (value.trim() === '' || value.includes('\0')) return { wrong: `--${name} needs a command` };
      return { checks: [...request.checks, value] };
    case 'resume':
    case 'help':
      return { wrong: `--${name} stands alone` };
  }
}

function numbered(
  name: FlagName,
  value: string,
  least: number,
  most: number,
  taken: (number: number) => Partial<SessionRequest>,
): Partial<SessionRequest> | Wrong {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return taken(number);
  const range = most === MOST ? `${least} or more` : `from ${least} to ${most}`;
  return { wrong: `--${name} takes a whole number, ${range}; got "${shown(value)}"` };
}

function oneOf<Choice extends string>(
  name: FlagName,
  value: string,
  choices: readonly Choice[],
  taken: (choice: Choice) => Partial<SessionRequest>,
): Partial<SessionRequest> | Wrong {
  const choice = choices.find((candidate) => candidate === value);
  return choice === undefined
    ? { wrong: `--${name} is one of ${choices.join(', ')}; got "${shown(value)}"` }
    : taken(choice);
}

function shown(value: string): string {
  return value.length > 40 ? `${value.slice(0, 40)}…` : value;
}
