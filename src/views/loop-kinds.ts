/** What each loop kind keeps in its journal that a view shows: the agent, the task, the checks, the word for done. */
import { sameResponse } from '../core/claims/tag.ts';
import { isFields, isStrings } from '../core/json.ts';
import type { Result } from '../core/record.ts';

export interface Asked {
  readonly agent: string | null;
  readonly task: string | null;
  /** The commands, by their index. */
  readonly checks: readonly string[];
  /** How the agent says that it is done; null where a loop kind has no word for it. */
  readonly claim: string | null;
  /** Of what it said; never where it says so by a file. */
  isClaimed(heard: string | null): boolean;
}

/** A journal can be edited, and be of another release: what is not where it should be is not known. */
export function askedOf(loopKind: string, options: unknown, inputs: unknown): Asked {
  const { agent = null, task = null, checks = [], claim = null } = READERS[loopKind]?.(options, inputs) ?? {};
  const isClaimed = (heard: string | null): boolean => claim !== null && CLAIMS[loopKind]?.(heard, claim) === true;
  return { agent: agent && nameOf(agent), task: task && firstLine(task), checks, claim, isClaimed };
}

type Read = (options: unknown, inputs: unknown) => Partial<Omit<Asked, 'isClaimed'>>;

const ofTask: Read = (options, inputs) => ({
  agent: textAt(options, 'agent'),
  task: textAt(inputs, 'prompt') ?? textAt(options, 'prompt'),
});

/** Seed 002: by a file of this name. */
const untilDone: Read = (options, inputs) => ({ ...ofTask(options, inputs), claim: 'DONE' });

const READERS: Readonly<Record<string, Read>> = {
  run: (_options, inputs) => ({
    agent: textAt(inputs, 'agent', 'command'),
    task: textAt(inputs, 'prompt'),
    checks: guardrailsIn(at(inputs, 'guardrails')),
    claim: textAt(inputs, 'completionResponse'),
  }),
  // Its prompt is the same for every project.
  stories: (options, inputs) => ({ agent: textAt(options, 'agent'), checks: stringsAt(inputs, 'verifyCommands') }),
  session: (options) => ({
    agent: textAt(options, 'host'),
    task: textAt(options, 'request', 'task'),
    checks: stringsAt(options, 'request', 'checks'),
    claim: textAt(options, 'request', 'promise'),
  }),
  swarm: (options, inputs) => ({
    agent: stringsAt(options, 'command')[0] ?? null,
    task: textAt(inputs, 'prompt'),
  }),
  task: untilDone,
  'ralph-loop': untilDone,
  job: ofTask,
};

const CLAIMS: Readonly<Record<string, (heard: string | null, claim: string) => boolean>> = {
  run: sameResponse,
  session: (heard, claim) => heard === claim,
};

/** What an iteration left in the history; of stories, whose agents commit, it is where HEAD has moved to. */
export function commitOf(results: readonly Result[]): string | null {
  const made = results.findLast((result) => isCommit(result));
  if (made?.kind === 'published') return made.detail;
  const [marked, judged] = ['mark', 'judge'].map((what) => headAfter(results, what));
  return marked !== judged ? (judged ?? null) : null;
}

function isCommit(result: Result): boolean {
  return result.kind === 'published' && result.task === 'commit' && result.status === 'done' && result.detail !== '';
}

function headAfter(results: readonly Result[], what: string): string | null {
  const step = results.findLast((result) => result.kind === 'stepped' && result.what === what);
  return step?.kind === 'stepped' ? textAt(step.gave, 'head') : null;
}

/** What the review of a story came to, in two words; null where nothing was judged. */
export function judgedIn(results: readonly Result[]): string | null {
  const step = results.findLast((result) => result.kind === 'stepped' && result.what === 'judge');
  const verdict = step?.kind === 'stepped' ? at(step.gave, 'verdict') : null;
  const kind = textAt(verdict, 'kind');
  if (kind === null) return null;
  const words = Object.entries(VERDICTS[kind] ?? {}).find(([field]) => textAt(verdict, field) !== null);
  return words === undefined ? (WITHOUT_STORY[kind] ?? null) : `${textAt(verdict, words[0])} ${words[1]}`;
}

/** By the field that names the story. */
const VERDICTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  legal: { approved: 'approved', sentBack: 'sent back', submitted: 'submitted' },
  'at-cap': { story: 'at review cap' },
};
const WITHOUT_STORY: Readonly<Record<string, string>> = {
  legal: 'no change',
  'no-verdict': 'no verdict',
  undocumented: 'not counted',
  illegal: 'put back',
};

function guardrailsIn(guardrails: unknown): string[] {
  return Array.isArray(guardrails) ? guardrails.map((one) => textAt(one, 'command') ?? '') : [];
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((found, name) => (isFields(found) ? found[name] : undefined), value);
}

function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : null;
}

function stringsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  const found = at(value, ...path);
  return isStrings(found) ? found : [];
}

const nameOf = (command: string): string => command.slice(command.lastIndexOf('/') + 1);

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.trim() ?? '';
