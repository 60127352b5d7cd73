/** `.ralph-active`: hooks act only if it exists. An agent can write it, so the harness judges by its own copies. */
import { isFields, isStrings, parsedJson } from '../../../core/text/json.ts';
import {
  isRunning,
  type MachineIdentity,
  type ProcessIdentity,
  thisMachine,
} from '../../../process/identity/identity.ts';
import { ITERATION_MODES, type IterationMode } from './allowed-changes.ts';
import { isReviewStatus, type Snapshot, type StoryBefore } from './tasks.ts';

export const MARKER_NAME = '.ralph-active';
export const DEFAULT_REVIEW_CAP = 5;

export interface LoopMarker {
  readonly timestamp: string;
  readonly pid: number;
  readonly maxIterations: number;
  readonly mode: 'sandbox' | 'direct';
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly ralphDir: string;
  /** A pid is only valid in one pid namespace and during one boot. */
  readonly process: Pick<ProcessIdentity, 'startTime' | 'boot'> & Pick<MachineIdentity, 'pidNamespace'>;
}

export interface Marker extends LoopMarker {
  readonly iteration: number;
  readonly iterationMode: IterationMode;
  readonly stuckCount: number;
  readonly story: string | null;
  readonly preIterationSnapshot: Snapshot;
  readonly verifyCommands: readonly string[] | null;
}

/** While the loop is paused, a person works here, whom no hook must hold up. */
export function markerText({ maxIterations, ...marker }: Marker | (LoopMarker & { readonly paused: true })): string {
  const before = 'paused' in marker ? {} : { preIterationSnapshot: Object.fromEntries(marker.preIterationSnapshot) };
  return `${JSON.stringify({ max_iterations: maxIterations, ...marker, ...before }, null, 2)}\n`;
}

export type ReadMarker = ReturnType<typeof readMarker>;

/** Another program may have written it. Never throws: an agent that breaks the file must not get rid of the checks. */
export function readMarker(text: string) {
  const value = parsedJson(text);
  const marker = isFields(value) ? value : {};
  const { pid, skipReview, reviewCap, story, ralphDir, verifyCommands } = marker;
  return {
    pid: isCount(pid) ? pid : null,
    process: processOf(marker.process),
    /** The agent runs in a sandbox, where the harness's pid may mean nothing. */
    isSandboxed: marker.mode === 'sandbox',
    isPaused: marker.paused === true,
    skipReview: skipReview === true,
    reviewCap: isCount(reviewCap) && reviewCap > 0 ? reviewCap : DEFAULT_REVIEW_CAP,
    iterationMode: ITERATION_MODES.find((mode) => mode === marker.iterationMode) ?? null,
    story: isText(story) ? story : null,
    ralphDir: isText(ralphDir) && ralphDir !== '' ? ralphDir : 'ralph',
    preIterationSnapshot: snapshotFrom(marker.preIterationSnapshot),
    /** What must not be changed; null if the file does not say. */
    frozen: isStrings(verifyCommands) ? { verifyCommands } : verifyCommands === null ? {} : null,
    /** The file is not a JSON object: everything above is a default. */
    isBroken: !isFields(value),
  };
}

/** Left by a killed harness: hooks ignore it, the next start takes it over. Inside a sandbox, this cannot be known. */
export function isLeftBehind({ pid, process: owner, isSandboxed }: ReadMarker): boolean {
  if (pid === null || owner === null || isSandboxed) return false;
  const { boot, pidNamespace } = thisMachine();
  if (owner.boot !== boot) return true;
  return owner.pidNamespace === pidNamespace && !isRunning({ pid, ...owner });
}

function processOf(value: unknown): LoopMarker['process'] | null {
  if (!isFields(value)) return null;
  const { startTime, boot, pidNamespace } = value;
  return isText(startTime) && isText(boot) && isText(pidNamespace) ? { startTime, boot, pidNamespace } : null;
}

function snapshotFrom(value: unknown): Snapshot | null {
  if (!isFields(value)) return null;
  const stories = Object.entries(value).map(([id, story]) => [id, storyFrom(story)] as const);
  return stories.every((one): one is readonly [string, StoryBefore] => one[1] !== null) ? new Map(stories) : null;
}

const TEXTS = ['reviewFeedback', 'title', 'description'];
const LISTS = ['acceptanceCriteria', 'dependsOn'];

function storyFrom(value: unknown): StoryBefore | null {
  if (!isFields(value)) return null;
  const { passes, reviewStatus, reviewCount } = value;
  if (typeof passes !== 'boolean' || !isReviewStatus(reviewStatus) || !isCount(reviewCount)) return null;
  const isUsable = ([field, said]: [string, unknown]): boolean =>
    (TEXTS.includes(field) && isText(said)) || (LISTS.includes(field) && isStrings(said));
  return { passes, reviewStatus, reviewCount, ...Object.fromEntries(Object.entries(value).filter(isUsable)) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
