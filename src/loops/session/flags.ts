/** The flags of a loop inside a session: the part of the request that each one is, and the values that it takes. */
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

interface ValueFlag {
  readonly field: Exclude<keyof SessionRequest, 'task' | 'ultrawork'>;
  /** What is wrong is said behind the flag's name. */
  read(value: string): string | number | Wrong;
}

/** Null for a flag that takes no value and stands alone. */
export const FLAGS = {
  'max-iterations': { field: 'maximumIterations', read: wholeNumber(1, MOST_ITERATIONS) },
  'completion-promise': { field: 'promise', read: promise },
  'min-tool-calls': { field: 'minToolCalls', read: wholeNumber(0) },
  'on-promise-no-work': { field: 'onPromiseNoWork', read: oneOf(NO_WORK_POLICIES) },
  'promise-position': { field: 'promisePosition', read: oneOf(PROMISE_POSITIONS) },
  'stuck-after': { field: 'stuckAfter', read: wholeNumber(1) },
  check: { field: 'checks', read: command },
  'check-timeout': { field: 'checkSeconds', read: wholeNumber(1, LONGEST_CHECKS_SECONDS) },
  resume: null,
  help: null,
} as const satisfies Readonly<Record<string, ValueFlag | null>>;

export type FlagName = keyof typeof FLAGS;

export interface FlagValue {
  readonly name: FlagName;
  readonly value: string;
}

export function requestFrom(flags: readonly FlagValue[], task: string, ultrawork: boolean): SessionRequest | Wrong {
  const twice = flags.find(
    ({ name }, index) => name !== 'check' && flags.findIndex((flag) => flag.name === name) < index,
  );
  if (twice !== undefined) return { wrong: `--${twice.name} is given twice` };
  if (task.trim() === '') return { wrong: 'the task is missing' };
  let request: SessionRequest = { ...SESSION_DEFAULTS, task, ultrawork };
  for (const { name, value } of flags) {
    const flag: ValueFlag | null = FLAGS[name];
    if (flag === null) continue;
    const read = flag.read(value);
    if (typeof read === 'object') return { wrong: `--${name}${read.wrong}` };
    request = { ...request, [flag.field]: flag.field === 'checks' ? [...request.checks, read] : read };
  }
  return request;
}

/** The flags that ask for this request: its limit, and what is not the default. */
export function flagsOf(request: SessionRequest): FlagValue[] {
  return (Object.keys(FLAGS) as FlagName[]).flatMap((name) => {
    const flag: ValueFlag | null = FLAGS[name];
    if (flag === null) return [];
    const value = request[flag.field];
    if (name !== 'max-iterations' && value === SESSION_DEFAULTS[flag.field]) return [];
    return [value].flat().map((one) => ({ name, value: String(one) }));
  });
}

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): ValueFlag['read'] {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`;
  return (value) => {
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    return { wrong: ` takes a whole number, ${range}; got "${shown(value)}"` };
  };
}

function oneOf(choices: readonly string[]): ValueFlag['read'] {
  return (value) =>
    choices.includes(value) ? value : { wrong: ` is one of ${choices.join(', ')}; got "${shown(value)}"` };
}

function promise(value: string): string | Wrong {
  const trouble = promiseTrouble(value);
  return trouble === null ? value : { wrong: `: ${trouble}` };
}

function command(value: string): string | Wrong {
  return value.trim() === '' || value.includes('\0') ? { wrong: ' needs a command' } : value;
}

function shown(value: string): string {
  return value.length > 40 ? `${value.slice(0, 40)}…` : value;
}
