/** What a loop inside one session was asked to do, and the flags for it. */
import { HOOK_SECONDS } from '../../agents/session/host.ts';
import { RalphError } from '../../core/error.ts';

export interface SessionRequest {
  readonly task: string;
  readonly promise: string;
  /** How often the agent is sent back to its task, at most. */
  readonly maximumIterations: number;
  readonly minToolCalls: number;
  /** What happens to a promise without any work behind it. */
  readonly onPromiseNoWork: (typeof NO_WORK_POLICIES)[number];
  readonly promisePosition: (typeof PROMISE_POSITIONS)[number];
  /** After this many idle continuations in a row the loop ends; null for never. */
  readonly stuckAfter: number | null;
  /** Shell commands of the user's own that must exit 0 before a promise counts. */
  readonly checks: readonly string[];
  /** For all checks of one promise together. */
  readonly checkSeconds: number;
  readonly ultrawork: boolean;
}

const NO_WORK_POLICIES = ['reject', 'warn', 'accept'] as const;
const PROMISE_POSITIONS = ['anywhere', 'end'] as const;

/** All checks of one promise must finish before the host cuts the hook off. */
export const LONGEST_CHECKS_SECONDS = HOOK_SECONDS - 60;

export const SESSION_DEFAULTS = {
  promise: 'DONE',
  maximumIterations: 100,
  minToolCalls: 1,
  onPromiseNoWork: 'reject',
  promisePosition: 'anywhere',
  stuckAfter: null,
  checks: [],
  checkSeconds: LONGEST_CHECKS_SECONDS,
  ultrawork: false,
} as const satisfies Omit<SessionRequest, 'task'>;

export const MOST_ITERATIONS = 1_000_000;
const LONGEST_PROMISE = 200;

interface ValueFlag {
  readonly field: Exclude<keyof SessionRequest, 'task' | 'ultrawork'>;
  read(value: string, flag: string): string | number;
}

/** Null for a flag without a value, which is used alone. */
export const FLAGS = {
  'max-iterations': { field: 'maximumIterations', read: wholeNumber(1, MOST_ITERATIONS) },
  'completion-promise': { field: 'promise', read: possiblePromise },
  'min-tool-calls': { field: 'minToolCalls', read: wholeNumber(0) },
  'on-promise-no-work': { field: 'onPromiseNoWork', read: oneOf(NO_WORK_POLICIES) },
  'promise-position': { field: 'promisePosition', read: oneOf(PROMISE_POSITIONS) },
  'stuck-after': { field: 'stuckAfter', read: wholeNumber(1) },
  check: { field: 'checks', read: (text, flag) => (/^\s*$|\0/.test(text) ? wrong(`${flag} needs a command`) : text) },
  'check-timeout': { field: 'checkSeconds', read: wholeNumber(1, LONGEST_CHECKS_SECONDS) },
  resume: null,
  help: null,
} as const satisfies Readonly<Record<string, ValueFlag | null>>;

export type FlagName = keyof typeof FLAGS;

export interface FlagValue {
  readonly name: FlagName;
  readonly value: string;
}

export function wrong(why: string): never {
  throw new RalphError('SESSION_FLAGS', why, { hint: 'See: ralph session --help' });
}

export function requestFrom(flags: readonly FlagValue[], task: string, ultrawork: boolean): SessionRequest {
  const names = flags.map(({ name }) => name);
  const twice = names.find((name, index) => name !== 'check' && names.indexOf(name) < index);
  if (twice !== undefined) wrong(`--${twice} is given twice`);
  if (task.trim() === '') wrong('the task is missing');
  let request: SessionRequest = { ...SESSION_DEFAULTS, task, ultrawork };
  for (const { name, value } of flags) {
    const flag: ValueFlag | null = FLAGS[name];
    if (flag === null) continue;
    const read = flag.read(value, `--${name}`);
    request = { ...request, [flag.field]: flag.field === 'checks' ? [...request.checks, read] : read };
  }
  return request;
}

/** The flags that lead to this request: its limit, and everything that is not the default. */
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
  return (value, flag) => {
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    return wrong(`${flag} takes a whole number, ${range}; got "${shown(value)}"`);
  };
}

function oneOf(choices: readonly string[]): ValueFlag['read'] {
  return (value, flag) =>
    choices.includes(value) ? value : wrong(`${flag} must be one of ${choices.join(', ')}; got "${shown(value)}"`);
}

export function shown(text: string, most = 40): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Accepts only a promise that an agent can output exactly as it is. */
function possiblePromise(promise: string, flag: string): string {
  const refuse = (why: string) => wrong(`${flag}: the promise ${why}`);
  if (promise.trim() === '') refuse('is empty');
  if (/[<>]/.test(promise)) refuse('is the text between the tags, without < and >, as in DONE');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(promise)) refuse('is one line without control characters');
  if (promise !== promise.trim()) refuse('has spaces at its ends, where no agent would say them');
  return promise.length > LONGEST_PROMISE ? refuse(`is longer than ${LONGEST_PROMISE} characters`) : promise;
}

export function markerOf(promise: string): string {
  return `<promise>${promise}</promise>`;
}

/** `texts`: everything that the agent has said since the last turn, oldest first. Only the exact marker counts. */
export function isPromised(
  { promise, promisePosition }: Pick<SessionRequest, 'promise' | 'promisePosition'>,
  texts: readonly string[],
): boolean {
  const marker = markerOf(promise);
  if (promisePosition === 'anywhere') return texts.some((text) => text.includes(marker));
  const last = texts.findLast((text) => text.trim() !== '') ?? '';
  return last.trimEnd().split('\n').at(-1)?.trim() === marker;
}
