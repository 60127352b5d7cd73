/** `ralph/tasks.json`: its types, and check 1 of an iteration, which is that the file is still valid. */
import { type Fields, isFields, isStrings, parsedJson } from '../../../core/text/json.ts';
import { jsonFault, placeIn } from '../../../core/text/json-fault.ts';
import { linesOf } from '../../../core/text/lines-of.ts';

const REVIEW_STATUSES = ['needs_review', 'changes_requested', 'approved'] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number] | null;

export function isReviewStatus(value: unknown): value is ReviewStatus {
  return value === null || REVIEW_STATUSES.some((status) => status === value);
}

export interface Story {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly acceptanceCriteria: readonly string[];
  readonly priority: number;
  /** True only after a review approved the story; without reviews, after its implementation. */
  readonly passes: boolean;
  readonly reviewStatus: ReviewStatus;
  readonly reviewCount: number;
  readonly reviewFeedback: string;
  readonly notes?: string;
  readonly dependsOn?: readonly string[];
}

export interface TasksFile {
  readonly project: string;
  readonly branchName: string;
  readonly description: string;
  readonly verifyCommands?: readonly string[];
  readonly userStories: readonly Story[];
}

/** `undocumented`: the list, if its only problem is that passing stories lack notes on what was done. */
export type ReadTasks =
  | { readonly isValid: true; readonly tasks: TasksFile }
  | { readonly isValid: false; readonly problems: readonly string[]; readonly undocumented?: TasksFile };

export function readTasks(text: string | null, shownPath = 'ralph/tasks.json'): ReadTasks {
  const value = text === null ? undefined : parsedJson(text);
  if (value === undefined) return { isValid: false, problems: [`Cannot read or parse ${shownPath}${whereIn(text)}`] };
  const problems = isFields(value) ? problemsOfFile(value) : ['tasks.json must be an object'];
  // `problemsOfFile` has validated every field of the type.
  const tasks = value as TasksFile;
  if (problems.length === 0) return { isValid: true, tasks };
  const isForgotten = problems.every((problem) => problem.endsWith(UNDOCUMENTED));
  return { isValid: false, problems, ...(isForgotten ? { undocumented: tasks } : {}) };
}

export function knownTasks(text: string | null): TasksFile {
  const read = readTasks(text);
  if (read.isValid) return read.tasks;
  throw new Error('a list that was read before is none');
}

/** The seed's three fields are always present; a marker that another program wrote may contain only these. */
export type StoryBefore = Pick<Story, 'passes' | 'reviewStatus' | 'reviewCount'> &
  Partial<Pick<Story, 'reviewFeedback' | 'title' | 'description' | 'acceptanceCriteria' | 'dependsOn'>>;

/** The stories as they were before an iteration, by id. If it is empty, every story is new. */
export type Snapshot = ReadonlyMap<string, StoryBefore>;

export function snapshotOf(tasks: TasksFile): Snapshot {
  return new Map(
    tasks.userStories.map(({ id, title, description, acceptanceCriteria, dependsOn = [], ...story }) => {
      const { passes, reviewStatus, reviewCount, reviewFeedback } = story;
      const words = { title, ...(description === undefined ? {} : { description }), acceptanceCriteria };
      return [id, { passes, reviewStatus, reviewCount, reviewFeedback, ...words, dependsOn }];
    }),
  );
}

export function newlyPassing(before: Snapshot, { userStories }: TasksFile): readonly string[] {
  return userStories.filter(({ id, passes }) => passes && before.get(id)?.passes !== true).map(({ id }) => id);
}

/** ` (line 3, column 7)` if the text is not valid JSON, otherwise empty. */
export function whereIn(text: string | null): string {
  const fault = text === null ? null : jsonFault(text);
  if (text === null || fault === null) return '';
  const { line, column } = placeIn(text, fault.at);
  return ` (line ${line}, column ${column})`;
}

const UNDOCUMENTED = "has passes=true but empty 'notes' — document what was done";

/** For ids of these characters, the slower tests below, which load the tables of Unicode, are not needed. */
const ASCII = /^[!-~]*$/;
/** Not allowed in ids, which appear in the harness's output, in commits and in prompts. */
const UNREADABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const REQUIRED = {
  id: 'string',
  title: 'string',
  passes: 'boolean',
  priority: 'number',
  acceptanceCriteria: 'strings',
  reviewStatus: 'any',
  reviewCount: 'number',
  reviewFeedback: 'string',
};
/** The seed does not require these, but if present, they must have the right type. */
const OPTIONAL = { description: 'string', notes: 'string', dependsOn: 'strings' };
const FIELDS = Object.entries({ ...REQUIRED, ...OPTIONAL });

function problemsOfFile(file: Fields): string[] {
  const has = (field: string): boolean => Object.hasOwn(file, field);
  const stories = file.userStories;
  return linesOf(
    ...['project', 'branchName', 'description', 'userStories'].map((field) => {
      if (!has(field)) return `tasks.json missing required top-level field: '${field}'`;
      return field !== 'userStories' && typeof file[field] !== 'string' && `tasks.json '${field}' must be a string`;
    }),
    has('verifyCommands') &&
      !isStrings(file.verifyCommands) &&
      "tasks.json 'verifyCommands' must be an array of strings",
    ...(Array.isArray(stories) ? [...stories.flatMap(problemsOfStory), ...duplicateIds(stories)] : []),
    has('userStories') && !Array.isArray(stories) && "tasks.json 'userStories' must be an array",
  );
}

function problemsOfStory(story: unknown, index: number): string[] {
  if (!isFields(story)) return [`Story at position ${index + 1}: must be an object`];
  const name = typeof story.id === 'string' && story.id !== '' ? cut(story.id) : `at position ${index + 1}`;
  const shape = FIELDS.map(([field, kind]) => {
    if (!Object.hasOwn(story, field)) return field in REQUIRED && `missing required field '${field}'`;
    const isRight = kind === 'strings' ? isStrings(story[field]) : kind === 'any' || typeof story[field] === kind;
    return !isRight && `field '${field}' has wrong type (expected ${kind === 'strings' ? 'array of strings' : kind})`;
  });
  return linesOf(...shape, ...wrongValues(story)).map((what) => `Story ${name}: ${what}`);
}

/** Only looks at values of the right type: wrong types are already reported. */
function wrongValues({ id, acceptanceCriteria, reviewStatus, reviewCount, passes, notes }: Fields): string[] {
  const count = typeof reviewCount === 'number' ? reviewCount : 0;
  return linesOf(
    id === '' && "'id' must not be empty",
    typeof id === 'string' &&
      !ASCII.test(id) &&
      UNREADABLE.test(id) &&
      "'id' must not contain control or invisible characters",
    Array.isArray(acceptanceCriteria) && acceptanceCriteria.length === 0 && "'acceptanceCriteria' must not be empty",
    reviewStatus !== undefined &&
      !isReviewStatus(reviewStatus) &&
      `'reviewStatus' is ${quoted(reviewStatus)}, must be null or one of: ${REVIEW_STATUSES.join(', ')}`,
    count < 0 && `'reviewCount' must be non-negative (got ${count})`,
    count >= 0 && !Number.isSafeInteger(count) && `'reviewCount' must be an integer (got ${count})`,
    passes === true && (typeof notes !== 'string' || notes.trim() === '') && UNDOCUMENTED,
  );
}

function duplicateIds(stories: readonly unknown[]): string[] {
  const ids = stories.map((story) => (isFields(story) ? story.id : undefined)).filter((id) => typeof id === 'string');
  const looks = ids.map(looksLike);
  const twice = new Set(ids.filter((_id, index) => looks.indexOf(looks[index] ?? '') !== index));
  return [...twice].map((id) => `Duplicate story ID: ${quoted(id)}`);
}

/** Ids that differ only in the width of characters or the kind of dash look the same to people, and count as equal. */
function looksLike(id: string): string {
  return ASCII.test(id) ? id : id.normalize('NFKC').replaceAll(/\p{Pd}/gu, '-');
}

const LONGEST = 80;

export function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** Words in single quotes, anything else as JSON: `'approved'`, `null`, `3`. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return `'${cut(value)}'`;
  return value === undefined ? 'nothing' : cut(JSON.stringify(value));
}

/** `passes false → true` */
export function changed(field: string, before: unknown, after: unknown): string {
  return `${field} ${quoted(before)} → ${quoted(after)}`;
}
