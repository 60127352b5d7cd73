/**
 * The whole machine of a stories loop, with agents that write anything, fail or are interrupted, and a harness that
 * dies and folds its journal again. Files are strings here; rules, judge and choice of stories are real. Checked from
 * outside: between two starts of an agent, the list has changed only by a step that the mode allows.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold, loopMachine } from '../../src/core/machine/machine.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import type { Recorded, Result } from '../../src/core/record.ts';
import type { Json } from '../../src/core/text/json.ts';
import type { Copies } from '../../src/loops/stories/files/copies.ts';
import { listState } from '../../src/loops/stories/inputs.ts';
import type { Story, TasksFile } from '../../src/loops/stories/list/tasks.ts';
import { storiesRequest } from '../../src/loops/stories/request.ts';
import { storiesRules } from '../../src/loops/stories/rules.ts';
import type { Judged, JudgeGiven, PutBackGiven, StoriesInputs } from '../../src/loops/stories/state.ts';
import { judgedList } from '../../src/loops/stories/steps.ts';
import { firstRecord, recordOf } from '../support/loops/play.ts';
import { story, tasksOf } from '../support/stories/stories.ts';

const CAP = 2;
const PRD = 'wanted';
const ASKS = { acceptanceCriteria: ['It works', 'It is fast', 'It works'] };
const REQUEST = storiesRequest({ reviewCap: CAP, maxIterations: 40 });
const machine = loopMachine(storiesRules);

/** A value for one field of one story, often of the wrong type. */
const scribble = fc.record({
  which: fc.integer({ min: 0, max: 2 }),
  field: fc.constantFrom(
    'passes',
    'reviewStatus',
    'reviewCount',
    'reviewFeedback',
    'title',
    'id',
    'acceptanceCriteria',
  ),
  value: fc.constantFrom<Json>(
    true,
    false,
    null,
    0,
    1,
    2,
    '',
    'words',
    'needs_review',
    'changes_requested',
    'approved',
    ['x'],
    [],
  ),
});
const sneak = fc.oneof(
  fc.constantFrom('delete', 'add approved', 'no json', 'no file', 'approve', 'approve all', 'submit all'),
  fc.constantFrom('forget the notes', 'add one that never comes'),
  fc.constantFrom('cut', 'cut beside a new story', 'reword', 'give to another', 'split'),
);

interface Act {
  readonly honest: 'approve' | 'reject' | 'idle' | null;
  readonly scribbles: readonly { which: number; field: string; value: Json }[];
  readonly sneak: string | null;
  readonly touchesPrd: boolean;
  readonly touchesCode: boolean | 'where it may';
  readonly end: 'worked' | 'failed' | 'infrastructure' | 'interrupted' | 'silent';
  readonly dies: boolean;
}
const rarely = fc.integer({ min: 0, max: 7 }).map((roll) => roll === 0);
const wild: fc.Arbitrary<Act> = fc.record({
  honest: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('approve', 'reject') }, fc.constantFrom('idle', null)),
  scribbles: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(scribble, { maxLength: 3 })),
  sneak: fc.option(sneak, { freq: 2 }),
  touchesPrd: rarely,
  touchesCode: fc.boolean(),
  end: fc.oneof(
    { weight: 6, arbitrary: fc.constant('worked' as const) },
    fc.constantFrom('failed', 'infrastructure', 'interrupted', 'silent'),
  ),
  dies: rarely,
});

const good: fc.Arbitrary<Act> = fc.record({
  honest: fc.constantFrom('approve', 'approve', 'reject'),
  scribbles: fc.constant([]),
  sneak: fc.constantFrom(null, null, null, 'split'),
  touchesPrd: fc.constant(false),
  touchesCode: fc.constant('where it may'),
  end: fc.constant('worked'),
  dies: rarely,
});
const LENGTH = { minLength: 1, maxLength: 40, size: 'max' } as const;
const loops = fc.oneof(
  fc.array(wild, LENGTH),
  fc.array(fc.oneof(wild, good), LENGTH),
  fc.array(fc.oneof({ weight: 1, arbitrary: wild }, { weight: 5, arbitrary: good }), LENGTH),
);

interface LastRun {
  readonly act: Act;
  readonly before: TasksFile;
  readonly mode: string;
}

/** Much longer than it takes, for busy machines. */
const PATIENCE = 180_000;

interface World {
  tasks: string | null;
  prd: string;
  code: number;
}

test('no illegal edit survives an iteration', { timeout: PATIENCE }, () => {
  const tally = new Map<string, number>();
  fc.assert(
    fc.property(loops, (acts) => {
      for (const step of played(acts)) tally.set(step, (tally.get(step) ?? 0) + 1);
    }),
    { numRuns: 1000 },
  );
  // All of this must really have happened.
  const wanted = [
    'submitted',
    'approved',
    'sent back',
    'submitted again',
    'tampered',
    'failed',
    'interrupted',
    'no-fix',
    'uncounted',
    'split',
  ];
  const ends = ['done', 'tampered'].map((kind) => `end ${kind}`);
  expect([...wanted, ...ends, 'died'].filter((what) => (tally.get(what) ?? 0) < 20)).toEqual([]);
});

/** Plays a loop with these runs, and returns what happened in it. */
function played(acts: readonly Act[]): string[] {
  const world: World = { tasks: text(tasksOf(...['S0', 'S1', 'S2'].map((id) => story(id, ASKS)))), prd: PRD, code: 0 };
  const copies = memory();
  const first = firstRecord('stories', { ...REQUEST });
  const journal: Recorded[] = [first];
  const happened: string[] = [];
  const reviews = new Map<string, number>();
  let state = machine.begin(first);
  const now: { run: LastRun | null } = { run: null };
  let at = 0;

  const perform = (): Result | null => {
    const action = machine.next(state);
    switch (action.do) {
      case 'read-inputs':
        return { kind: 'inputs', digest: `${journal.length}`, inputs: inputsOf(world, copies) as unknown as Json };
      case 'start': {
        const made = acts[at++];
        if (made === undefined) return null;
        happened.push(...check(world, now.run, reviews));
        const before = JSON.parse(world.tasks ?? '') as TasksFile;
        const running = state.data.running;
        now.run = { act: made, before, mode: running?.mode ?? '' };
        write(world, made, running?.mode ?? '', running?.story.id ?? '');
        return { kind: 'started', handle: { runner: 'r', name: 'n' } };
      }
      case 'await':
        return ranOf(now.run?.act);
      case 'step':
        return {
          kind: 'stepped',
          what: action.what,
          gave: step(world, action.what, action.given as Json, copies, happened),
        };
      case 'wait':
        return { kind: 'waited' };
      case 'end':
        happened.push(`end ${action.ending.kind}`);
        return null;
      default:
        throw new Error(action.do);
    }
  };
  for (;;) {
    const result = perform();
    if (result === null) break;
    const record = recordOf(machine, state, result);
    journal.push(record);
    state = machine.apply(state, record);
    if (now.run?.act.dies === true) {
      // After its death, a harness knows only what is in its journal.
      state = fold(machine, journal);
      if (result.kind === 'started') happened.push('died');
    }
  }
  expect(fold(machine, journal)).toEqual(state);
  if (state.data.running === null && machine.next(state).do === 'end') happened.push(...check(world, now.run, reviews));
  return happened;
}

/** Checks the result of the last run from outside. */
function check({ tasks, prd }: World, last: LastRun | null, reviews: Map<string, number>): string[] {
  expect(prd).toBe(PRD);
  const after = JSON.parse(tasks ?? '') as TasksFile;
  if (last === null) return [];
  const { act: made, before, mode } = last;
  const steps = before.userStories.map((was) =>
    stepOf(
      was,
      after.userStories.find(({ id }) => id === was.id),
      mode,
    ),
  );
  const taken = steps.filter((one) => one !== 'same');
  // A silent agent that has written something has worked.
  if (made.end !== 'worked' && made.end !== 'silent') expect(after).toEqual(before);
  expect(taken.length).toBeLessThanOrEqual(1);
  expect(taken).not.toContain('wrong');
  if (taken[0] === 'submitted again') expect(touchesCode(made, mode)).toBe(true);
  if (taken[0] === 'approved') expect(touchesCode(made, mode)).toBe(false);
  const asked = countsOf(after);
  for (const [one, times] of Object.entries(countsOf(before)))
    expect(asked[one] ?? 0, `"${one}" in ${mode}`).toBeGreaterThanOrEqual(times);
  for (const one of after.userStories) expect(one.dependsOn ?? []).not.toContain(one.id);
  for (const one of after.userStories) {
    const was = before.userStories.find(({ id }) => id === one.id);
    if (was !== undefined && was.reviewCount !== one.reviewCount) reviews.set(one.id, (reviews.get(one.id) ?? 0) + 1);
    expect(one.passes).toBe(one.reviewStatus === 'approved');
    expect(one.reviewCount).toBe(reviews.get(one.id) ?? 0);
    expect(one.reviewCount).toBeLessThanOrEqual(CAP);
    expect(one.reviewStatus === 'changes_requested' && one.reviewCount >= CAP).toBe(false);
  }
  return [...taken, ...(after.userStories.length > before.userStories.length ? ['split'] : [])];
}

/** How often each criterion occurs in the whole list. */
function countsOf({ userStories }: TasksFile): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { acceptanceCriteria } of userStories)
    for (const one of acceptanceCriteria) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

function stepOf(was: Story, is: Story | undefined, mode: string): string {
  if (is === undefined) return 'wrong';
  const fields = ({ reviewStatus, reviewCount, passes }: Story) => `${reviewStatus} ${reviewCount} ${passes}`;
  if (fields(was) === fields(is)) return 'same';
  const name = `${mode}: ${was.reviewStatus} → ${is.reviewStatus} +${is.reviewCount - was.reviewCount}`;
  const picture: Readonly<Record<string, string>> = {
    'implement: null → needs_review +0': 'submitted',
    'review: needs_review → approved +1': 'approved',
    'review: needs_review → changes_requested +1': 'sent back',
    'review-fix: changes_requested → needs_review +0': 'submitted again',
  };
  return picture[name] ?? 'wrong';
}

function write(world: World, made: Act, mode: string, chosen: string): void {
  const list = JSON.parse(world.tasks ?? '') as { userStories: Record<string, Json>[] };
  const { userStories } = list;
  const one = userStories.find(({ id }) => id === chosen) ?? {};
  const honest = made.honest !== null && made.honest !== 'idle';
  if (honest && mode !== 'review') Object.assign(one, { reviewStatus: 'needs_review', reviewFeedback: '' });
  if (honest && mode === 'review') {
    const verdict =
      made.honest === 'approve'
        ? { reviewStatus: 'approved', passes: true, notes: 'done' }
        : { reviewStatus: 'changes_requested', reviewFeedback: 'Fix it' };
    Object.assign(one, verdict, { reviewCount: Number(one.reviewCount) + 1 });
  }
  for (const { which, field, value } of made.scribbles) {
    const target = userStories[which];
    if (target !== undefined) target[field] = value;
  }
  const approved = { reviewStatus: 'approved', passes: true, notes: 'x' };
  if (made.sneak === 'delete') userStories.pop();
  if (made.sneak === 'add approved') userStories.push({ ...story('new'), ...approved });
  if (made.sneak === 'approve') Object.assign(one, approved);
  for (const each of userStories) {
    if (made.sneak === 'approve all') Object.assign(each, approved);
    if (made.sneak === 'submit all') Object.assign(each, { reviewStatus: 'needs_review' });
  }
  rewrite(userStories, one, made.sneak, mode);
  world.tasks = made.sneak === 'no file' ? null : made.sneak === 'no json' ? '{' : text(list);
  if (made.touchesPrd) world.prd = `${PRD}!`;
  if (touchesCode(made, mode)) world.code++;
}

function touchesCode({ touchesCode: does }: Act, mode: string): boolean {
  return does === 'where it may' ? mode !== 'review' : does;
}

/** How agents change the criteria; only 'split' is legal. */
function rewrite(
  userStories: Record<string, Json>[],
  one: Record<string, Json>,
  sneak: string | null,
  mode: string,
): void {
  // A scribble can have written anything there.
  const asked = Array.isArray(one.acceptanceCriteria) ? one.acceptanceCriteria : [];
  const [first = 'x', ...others] = asked;
  const added = (fields: Partial<Story> = {}) => {
    userStories.push({ ...story(`N${userStories.length}`, { acceptanceCriteria: ['More'], ...fields }) });
  };
  switch (sneak ?? '') {
    case 'cut':
      one.acceptanceCriteria = others.length > 0 ? others : ['x'];
      break;
    case 'cut beside a new story':
      one.acceptanceCriteria = others.length > 0 ? others : ['x'];
      added();
      break;
    case 'reword':
      one.acceptanceCriteria = ['It works mostly', ...others];
      break;
    case 'give to another':
      one.acceptanceCriteria = others.length > 0 ? others : ['x'];
      Object.assign(userStories.at(-1) ?? {}, { acceptanceCriteria: [first] });
      break;
    case 'add one that never comes':
      added({ id: 'never', dependsOn: ['never'] });
      break;
    case 'split':
      if (mode === 'implement' && userStories.length < 6) {
        one.acceptanceCriteria = others.length > 0 ? others : ['Half of it'];
        added({ acceptanceCriteria: [String(first)] });
      }
      break;
    case 'forget the notes':
      one.notes = '';
  }
}

function step(world: World, what: string, given: Json, copies: Copies, happened: string[]): Json {
  switch (what) {
    case 'mark':
      return { head: null, code: String(world.code) };
    case 'judge': {
      const judged: Judged = {
        ...judgedList(world.tasks === null ? null : Buffer.from(world.tasks), given as unknown as JudgeGiven, copies),
        prd: copies.keep(world.prd),
        prompt: null,
        head: null,
        code: String(world.code),
      };
      return judged as unknown as Json;
    }
    case 'put-back': {
      const { why, tasks, prd } = given as unknown as PutBackGiven;
      happened.push(why);
      world.tasks = copies.text(tasks);
      world.prd = copies.text(prd) ?? '';
      return { kept: [], commit: null, problem: null };
    }
    case 'approve':
      world.tasks = copies.text((given as { approved: string }).approved);
      return { kept: [], commit: null, problem: null };
    default:
      throw new Error(what);
  }
}

function ranOf(made: Act | undefined): Result {
  if (made?.end === 'interrupted') return { kind: 'interrupted', reason: 'cancelled' };
  const outcomes: Readonly<Record<string, Outcome>> = {
    failed: { kind: 'failed', exit: { by: 'code', code: 1 } },
    infrastructure: { kind: 'infrastructure', reason: 'r' },
  };
  const outcome: Outcome = outcomes[made?.end ?? ''] ?? { kind: 'worked' };
  const firstLine = made?.end === 'silent' ? null : 'words';
  return { kind: 'ran', outcome, said: { tag: null, firstLine }, transcript: { path: 'p', bytes: 0 } };
}

function inputsOf({ tasks, prd }: World, copies: Copies): StoriesInputs {
  const list = listState(tasks, REQUEST);
  const kept = { tasks: copies.keep(tasks), prd: copies.keep(prd) };
  return { prompt: 'p', promptCopy: null, ...kept, list, between: null, pluginDir: null };
}

function memory(): Copies {
  // Here, the name of a copy is its content.
  return {
    keep: (content) => (content === null ? null : Buffer.from(content).toString('utf8')),
    read: (name) => (name === null ? null : Buffer.from(name)),
    text: (name) => name,
  };
}

function text(list: unknown): string {
  return JSON.stringify(list);
}
