/** Shows a stories loop on the console: the agent on stdout, `[ralph] …` about the loop on stderr. */
import type { Ending } from '../../core/ending.ts';
import { maskAcrossLines } from '../../core/mask.ts';
import type { Recorded } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { describeUsage } from '../../core/usage.ts';
import type { PutBack, Spoilt } from '../../doors/stories/facts.ts';
import type { StoriesRequest } from '../../doors/stories/request.ts';
import { estimateBudget } from '../../doors/stories/rules-mode.ts';
import type { TasksFile } from '../../doors/stories/rules-tasks.ts';
import { EMPTY_REPLIES, STUCK_WARNING, type StoriesData, withoutCommit } from '../../doors/stories/story-state.ts';
import type { Driven } from '../../engine/drive.ts';
import type { LoopEvent } from '../../engine/events.ts';
import type { Readiness } from '../../process/follow.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../../stream/formatter.ts';
import { printable } from '../../stream/printable.ts';
import { type OutletOptions, openOutlet } from '../outlet.ts';
import { inOneCell } from '../task/table.ts';
import { clockTime, outcomeLines } from '../words.ts';

export interface StoriesConsole {
  show(event: LoopEvent<StoriesData>): void;
  tell(line: string): void;
  begins(tasks: TasksFile, request: StoriesRequest): void;
  readonly ready: Readiness;
  close(driven: Driven): void;
}

export interface StoriesConsoleOptions extends OutletOptions {
  readonly color: boolean;
}

type State = LoopState<StoriesData>;

const RESUME = 'ralph stories resume';

export function storiesConsole(options: StoriesConsoleOptions): StoriesConsole {
  const { mask, color } = options;
  const { show, say, ready } = openOutlet(options);
  const tell = (text: string): void => {
    // Later lines may be somebody else's words: they never stand where a line of the harness's own begins.
    const [first = '', ...more] = printable(text).split('\n');
    for (const line of [first, ...more.map((one) => `    ${one}`)]) say(`[ralph] ${line}`.trimEnd());
  };
  const maskShown = maskAcrossLines(mask);
  let format = eventFormatter();
  let last: State | null = null;

  const progress = (event: Extract<LoopEvent<StoriesData>, { type: 'progress' }>['event']): void => {
    if (event.type === 'stderr') say(printable(event.text));
    if (event.type === 'notice') tell(`Agent: ${event.text}`);
    if (event.type === 'refusal') tell(`Sandbox: ${event.text}`);
    const text = format(event);
    const masked = text === null ? null : maskShown(text);
    if (masked !== null) show(masked);
  };
  return {
    show(event) {
      if (event.type === 'progress') {
        progress(event.event);
        return;
      }
      const before = last;
      last = event.state;
      if (event.type === 'record') for (const line of recordLines(event.record, event.state, before)) tell(line);
      else if (event.action.do === 'start') {
        format = eventFormatter({ ...DEFAULT_FORMAT, mask, color });
        say('');
        tell(iterationLine(event.state));
      }
    },
    tell,
    begins(tasks, request) {
      tell(`Estimated budget: ${estimateBudget(tasks, request).text}`);
    },
    ready,
    close(driven) {
      if (last !== null && last.usage.runs > 0) tell(`Usage: ${describeUsage(last.usage)}`);
      if (driven.kind === 'stopped') tell(`Stopped. The loop is unfinished; to go on: ${RESUME}`);
      else for (const line of endingLines(driven.ending, last)) tell(line);
    },
  };
}

function iterationLine({ iteration, data: { request, running } }: State): string {
  const what = running === null ? '' : ` — ${running.mode} — ${running.story.id} ${inOneCell(running.story.title)}`;
  return `=== Iteration ${iteration}/${request.maxIterations}${what} ===`;
}

function recordLines({ result }: Recorded, state: State, before: State | null): string[] {
  if (result.kind === 'ran') return outcomeLines(result.outcome);
  if (result.kind === 'waited' && result.command === 'pause')
    return [`Paused before iteration ${state.iteration + 1}; to go on: ${RESUME}`];
  if (result.kind === 'waited' && result.command === 'resume') return ['Resumed'];
  if (result.kind === 'inputs' && result.inputs !== undefined)
    return [...cutOffPromptLines(state, before), ...pauseLines(state)];
  if (result.kind !== 'stepped') return [];
  // Given by the door's own performers; one that found its copies changed has nothing to show but the ending.
  if ((result.gave as unknown as Partial<Spoilt>).spoilt !== undefined) return [];
  const isPromptBack = state.phase.at === 'step' && state.phase.what === 'prompt-back';
  if (result.what === 'judge') return [...stuckLines(state), ...(isPromptBack ? [] : judgedLines(state))];
  if (result.what === 'prompt-back')
    return [...promptLines(result.gave as unknown as PutBack, state), ...judgedLines(state)];
  if (result.what === 'put-back') return putBackLines(result.gave as unknown as PutBack, before?.data ?? state.data);
  if (result.what === 'approve') return approvedLines(result.gave as unknown as PutBack, state);
  return [];
}

function pauseLines({ data: { inputs } }: State): string[] {
  return (inputs?.inPause ?? []).map((what) => `During the pause: ${what}`);
}

/** Whoever resumes may have edited the prompt first; nobody can tell it from what the run that was cut off wrote. */
function cutOffPromptLines({ data: { inputs, request } }: State, before: State | null): string[] {
  const began = before?.data.running?.prompt;
  if (began === undefined || began === inputs?.promptCopy) return [];
  return [`WARNING: ${request.ralphDir}/prompt.md was changed since the last run began; the next one follows it`];
}

/** A person may have done that, and an agent would steer its reviewer by it. */
function promptLines({ kept, commit, problem }: PutBack, { data: { request } }: State): string[] {
  const what = `WARNING: ${request.ralphDir}/prompt.md was changed during this iteration; it is put back.`;
  return [
    `${what} Edit it between two loops, or in a pause.`,
    ...kept.map((path) => `The agent's version is kept in ${path}`),
    ...commitLines(commit, problem),
  ];
}

/** Waiting does not cure it; what stands in the way is in the log or in progress.txt. */
function stuckLines({ data: { ran, emptyInARow, stuckCount, request } }: State): string[] {
  if (ran?.outcome.kind !== 'worked' || emptyInARow > 0 || stuckCount < STUCK_WARNING) return [];
  return [
    `WARNING: ${withoutCommit(stuckCount)}: look into ${request.ralphDir}/progress.txt and ${request.ralphDir}/logs/`,
  ];
}

function judgedLines(state: State): string[] {
  const { judged, ran, promised, note, emptyInARow } = state.data;
  if (judged === null || ran?.outcome.kind !== 'worked') return [];
  if (emptyInARow > 0) {
    if (state.phase.at === 'end') return [];
    return [`Empty response — retrying iteration ${state.iteration} (attempt ${emptyInARow + 1})`];
  }
  const { verdict } = judged;
  const promise = promised?.kind === 'complete' ? ['Completion signal detected. Verifying tasks.json...'] : [];
  const isDone = state.phase.at === 'end' && state.phase.ending.kind === 'done';
  if (isDone)
    return promise.length > 0
      ? [...promise, 'All stories complete and verified!']
      : ['All stories verified complete via tasks.json (no promise tag).'];
  const unkept = promise.length > 0 && verdict.kind !== 'at-cap';
  const warning = unkept ? ['WARNING: Promise tag found but tasks.json verification failed.'] : [];
  return [...promise, ...warning, ...verdictLines(state, note)];
}

function verdictLines({ data }: State, note: string | null): string[] {
  const { judged, pending } = data;
  if (pending?.why === 'tampered') return [`TAMPERED: ${note ?? ''}`];
  if (note !== null) return [`Iteration failed: ${note}`];
  const verdict = judged?.verdict;
  if (verdict?.kind !== 'legal') return [];
  return [
    ...(verdict.submitted === null ? [] : [`Story ${verdict.submitted}: submitted for review`]),
    ...(verdict.approved === null
      ? []
      : [`Story ${verdict.approved}: ${verdict.isCapApproval ? 'auto-approved at cap' : 'approved'}`]),
    ...(verdict.sentBack === null ? [] : [`Story ${verdict.sentBack}: changes requested`]),
  ];
}

function putBackLines({ kept, commit, problem }: PutBack, { pending, note }: StoriesData): string[] {
  const isCutOff = pending?.why === 'interrupted';
  return [
    ...(pending?.why === 'between' ? [`TAMPERED: ${note ?? ''}`] : []),
    isCutOff
      ? 'The last run was cut off; tasks.json is put back as it was before it'
      : 'tasks.json is put back as it was',
    ...kept.map(
      (path) => `${pending?.why === 'between' ? 'What was written' : "The agent's version"} is kept in ${path}`,
    ),
    ...commitLines(commit, problem),
  ];
}

function commitLines(commit: string | null, problem: string | null): string[] {
  return [
    ...(commit === null ? [] : [`Committed ${commit.slice(0, 12)}`]),
    ...(problem === null ? [] : [`WARNING: it could not be committed: ${problem}`]),
  ];
}

function approvedLines({ problem }: PutBack, { data }: State): string[] {
  const verdict = data.judged?.verdict;
  const atCap = verdict?.kind === 'at-cap' ? verdict : null;
  const which = `at the review cap (${data.request.reviewCap})`;
  const what =
    atCap?.wasApproved === true
      ? `approved with feedback ${which}; marked`
      : `changes requested ${which}; auto-approved`;
  const cap = `Story ${atCap?.story ?? ''}: ${what}, see its reviewFeedback`;
  return problem === null ? [cap] : [cap, `WARNING: it could not be committed: ${problem}`];
}

function endingLines(ending: Ending, last: State | null): string[] {
  const hint = (text: string): string => `hint: ${text}`;
  switch (ending.kind) {
    case 'done':
      // Nothing ran: the list was complete from the start.
      return last === null || last.usage.runs === 0
        ? ['All stories verified complete via tasks.json (no promise tag).']
        : [];
    case 'iteration-limit':
      return [`Max iterations (${ending.limit}) reached without completion.`];
    case 'kept-failing':
      return [`ERROR: ${ending.failures} consecutive failures. Aborting.`];
    case 'infrastructure':
      return [`ERROR: ${ending.reason}${ending.reason === EMPTY_REPLIES ? '. Aborting.' : ''}`];
    case 'blocked':
      return [`BLOCKED: ${ending.reason}`];
    case 'decision':
      return [
        `DECISION NEEDED: ${ending.reason}`,
        hint(`answer in ${last?.data.request.ralphDir ?? 'ralph'}/decide.txt, then: ralph stories run`),
      ];
    case 'stuck':
    case 'tampered':
      return [`ERROR: ${ending.reason}`];
    case 'configuration':
      return [`ERROR: ${ending.reason}`, ...(ending.hint === undefined ? [] : [hint(ending.hint)])];
    case 'auth':
      return [`ERROR: ${ending.reason}`, hint('log the agent in, or give it a valid key, then: ralph stories run')];
    case 'usage-limit': {
      const lifted = ending.resetAt === null ? '' : `; it is lifted at ${clockTime(ending.resetAt)}`;
      return [`ERROR: usage limit: ${ending.reason}${lifted}`, hint('when it is lifted: ralph stories run')];
    }
    case 'stopped':
    case 'waiting':
      return ['Stopped for good.'];
  }
}
