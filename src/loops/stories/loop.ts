/** Starts, continues and hosts a stories loop: connects its rules, the project's files and the local performers. */
import { rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { plural } from '../../core/budget/usage.ts';
import type { WorkState } from '../../core/closing/closing-summary.ts';
import { refuseSpent } from '../../core/closing/used-up.ts';
import { defined } from '../../core/defined.ts';
import { canContinue, type Ending } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import { continuedProof, type ProofChange } from '../../core/proof/terms.ts';
import type { LoopState } from '../../core/state.ts';
import { systemFault } from '../../core/system-fault.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { pendingControl } from '../../engine/control.ts';
import type { Driven } from '../../engine/drive.ts';
import { refuseOutsiders } from '../../engine/fallbacks.ts';
import { beginLoop, type Closing, type HostOptions, hostLoop, hostOf, resumeLoop } from '../../engine/host.ts';
import type { OpenLoop } from '../../engine/loop.ts';
import { checkPlan, orProblem } from '../../engine/loop-plan.ts';
import type { StepPerformers } from '../../engine/performers/perform.ts';
import { localPerformers, performerOf } from '../../engine/performers/performers.ts';
import { proofSteps, warnOfUnmatched } from '../../engine/performers/proof-steps.ts';
import type { ProofPlace } from '../../engine/performers/prove.ts';
import { readPlain, readPlainBytes } from '../../process/files.ts';
import type { Host } from '../../process/host.ts';
import type { PassedOver } from '../../runners/choose.ts';
import { excludeFromGit, LOGS, workState } from '../../scm/git.ts';
import { loopFolder, refusedLooks, type StateRoot } from '../../state/paths.ts';
import { isUnfinished, unlessUnreadable } from '../../state/registry.ts';
import { shortName } from '../../state/short-names.ts';
import { isIterationOver } from './closing.ts';
import { copiesIn, nameOf } from './files/copies.ts';
import { consumeDecision, MESSAGE_FILES, putBlockAway } from './files/messages.ts';
import { LARGEST_PRD, QUARANTINED } from './files/work-tree.ts';
import { dataIn, GRACE_MS, newestStories, removeMarker, takeOverMarker } from './find-loop.ts';
import { refuseUnready, storiesReader, wholeInputs } from './inputs.ts';
import type { StoriesIsolation } from './isolation.ts';
import { openIsolation, resolveStories } from './isolation.ts';
import { iterationLog, putLogsAside } from './iteration-log.ts';
import { MARKER_NAME } from './list/active-file.ts';
import { unreachableStories } from './list/judge.ts';
import { estimateBudget } from './list/mode.ts';
import { readTasks } from './list/tasks.ts';
import { CHOOSING_HINT, planOf, refuseUnsafe } from './plan.ts';
import { isTemplatePrd, listIn, refuseLeadingOut, type StoriesProject } from './project.ts';
import { tamperedBy } from './proof.ts';
import { agentsOf, runAgain, type StoriesRequest, sandboxOf, storiesTerms } from './request.ts';
import { storiesMachine } from './rules.ts';
import type { InputsGiven, StoriesData, StoriesInputs, StoriesSteps } from './state.ts';
import { putBack, type StepSetting, storiesSteps, writeMarker } from './steps.ts';
import { provePlan, verifyPlan } from './verify-messages.ts';

export interface StoriesOptions extends HostOptions<StoriesData> {
  readonly project: StoriesProject;
  readonly pluginDir: string | null;
}

type SettingOf = (loop: string, request: StoriesRequest) => StepSetting;

export async function runStories(given: StoriesRequest, options: StoriesOptions): Promise<Driven> {
  const { project, environment, pluginDir, self, tell, preflight } = options;
  const { cwd } = project;
  const env = environment.variables;
  refuseLeadingOut(project);
  const tasks = refuseUnready(project, given, pluginDir);
  const resolved = await orProblem(resolveStories(given, cwd, env, self));
  const place = { cwd, env, pluginDir, tasks };
  if (resolved instanceof RalphError) {
    checkPlan(preflight, planOf(given, { ...place, noSandbox: resolved }));
    throw resolved;
  }
  const { request, passedOver } = resolved;
  const terms = storiesTerms(options, request, await pluginInside(request, pluginDir));
  checkPlan(preflight, planOf(request, place));
  const host = hostOf(environment);
  takeOverMarker(cwd, tell);
  const last = newestStories(environment.root, cwd);
  const decision = consumeDecision(project, last?.ending ?? null);
  const pins = ['tasks.json', 'prompt.md'].map((name) => join(project.ralphDir, name));
  const created = {
    loopKind: 'stories',
    cwd,
    pins,
    options: { ...request, answer: decision.answer },
    ...defined({ terms }),
  };
  const loop = beginLoop(storiesMachine, created, environment);
  const { id } = loop.state;
  // A loop that is refused leaves no trace, so that `resume` still continues the earlier one.
  const forget = (error: unknown): never => {
    rmSync(loop.folder, { recursive: true, force: true });
    throw systemFault(error) ?? error;
  };
  const begin = async ({ isolation }: StoriesIsolation, settingOf: SettingOf): Promise<void> => {
    const work = await workState(cwd, isolation.host, refusedLooks(loop.folder));
    const replaced = 'is replaced by this one: from now on "ralph stories resume" continues this one';
    const name = last === null ? '' : shortName(environment.root, last.id);
    if (last?.ending === null) tell(`WARNING: loop ${name} was interrupted and ${replaced}`);
    else if (last !== null && isUnfinished(last))
      tell(`Loop ${name} here is unfinished (${last.ending.kind}); it ${replaced}`);
    for (const line of startWarnings(work, project, pluginDir)) tell(line);
    await warnOfUnmatched(request.proof, { ...options, loop: { id, folder: loop.folder }, cwd, host }).catch(forget);
    const restored = await putBackOfEarlier(cwd, id, settingOf, environment.root).catch(forget);
    const blocked = putBlockAway(project, loop.folder, ' of an earlier loop');
    const logs = putLogsAside(project, id, last?.id ?? null);
    for (const line of [...restored, ...decision.putAway(loop.folder), ...blocked, ...logs]) tell(line);
    const list = restored.length === 0 ? tasks : refuseUnready(project, request, pluginDir);
    for (const problem of unreachableStories(new Map(), list)) tell(`WARNING: ${problem}`);
    tell(`Estimated budget: ${estimateBudget(list, request)}`);
    for (const line of [verifyPlan(list, request), ...provePlan(list, request)]) tell(line);
  };
  return hostStories(loop, host, options, { passedOver, refused: forget, begin });
}

/** Where the agents find the plugin. */
async function pluginInside(request: StoriesRequest, pluginDir: string | null): Promise<string | null> {
  if (pluginDir === null || sandboxOf(request) !== 'docker') return pluginDir;
  return (await import('../../runners/docker-sandbox.ts')).insidePath('plugin');
}

/** What a person should know before the first iteration. None of it stops the loop. */
function startWarnings(work: WorkState, { folder, ralphDir }: StoriesProject, pluginDir: string | null): string[] {
  const isTemplate =
    pluginDir !== null && isTemplatePrd(readPlain(join(folder, 'prd.md')), join(pluginDir, 'templates'));
  const files = work.kind === 'uncommitted' ? work.files : 0;
  return linesOf(
    work.kind === 'no-repository' &&
      'WARNING: this is not a git repository: nothing is committed, reviewers see no differences, and a review that changes code itself is not noticed. To make it one, run: git init',
    files > 0 &&
      `WARNING: ${plural(files, 'changed file')} not committed: the first commit of an agent will hold ${files === 1 ? 'it' : 'them'}, too`,
    isTemplate && `WARNING: ${ralphDir}/prd.md is still the template: it tells the agents nothing`,
  );
}

/** Restores the list if an earlier loop was killed in mid-iteration. Returns the lines to show about it. */
async function putBackOfEarlier(cwd: string, current: string, settingOf: SettingOf, root: StateRoot) {
  const earlier = newestStories(root, cwd, current);
  if (earlier === null || earlier.ending !== null) return [];
  const loop = loopFolder(root, earlier.id);
  const data = dataIn(loop);
  if (data === null) return ['The records of an earlier loop cannot be read; nothing is restored.'];
  if (data.running === null) return [];
  const { tasks, prd, head } = data.running;
  const setting = settingOf(loop, data.request);
  const nameNow = (file: string) => nameOf(readPlainBytes(join(setting.folder, file), LARGEST_PRD));
  if (nameNow('tasks.json') === tasks && nameNow('prd.md') === prd) return [];
  if (!isSamePlan(setting.copies.text(tasks), readPlain(join(setting.folder, 'tasks.json'))))
    return ['An earlier loop was cut off in the middle of an iteration, with another list; nothing is restored.'];
  const { kept } = await putBack(setting, { why: 'interrupted', tasks, prd, head }, 'left');
  return [
    'An earlier loop was cut off in the middle of an iteration; the story list is restored as it was before that iteration.',
    ...kept.map((path) => `What was there is kept in ${path}`),
  ];
}

/**
 * False if the list lacks stories or names another project: then a person has made another plan since. A file that is
 * not a valid list counts as damage to the same plan.
 */
function isSamePlan(before: string | null, now: string | null): boolean {
  const [was, is] = [readTasks(before), readTasks(now)];
  if (!was.isValid || !is.isValid) return true;
  const ids = new Set(is.tasks.userStories.map(({ id }) => id));
  return was.tasks.project === is.tasks.project && was.tasks.userStories.every(({ id }) => ids.has(id));
}

type Change = Partial<Pick<StoriesRequest, 'maxIterations' | 'fallbacks' | 'proof'>>;

/** Continues the newest loop of the project where its records end, also after an ending whose cause may be gone. */
export async function resumeStories(
  options: StoriesOptions,
  { allowEdit, acceptFlaky, ...change }: Omit<Change, 'proof'> & ProofChange = {},
): Promise<Driven> {
  const { environment, project, tell } = options;
  const { cwd } = project;
  const found = newestStories(environment.root, cwd);
  if (found === null || (found.ending !== null && !canContinue(found.ending))) {
    const hint = unlessUnreadable(environment.root, 'Start one: ralph stories run');
    throw new RalphError('NOTHING_TO_RESUME', `no unfinished stories loop in ${cwd}`, { hint });
  }
  const host = hostOf(environment);
  takeOverMarker(cwd, tell);
  const copies = copiesIn(loopFolder(environment.root, found.id));
  const again = (_request: StoriesRequest, masked: StoriesInputs) => wholeInputs(masked, copies);
  const { fallbacks } = options;
  const prepare = async (reopened: OpenLoop<StoriesData>) => {
    const before = reopened.state.data.request;
    refuseOutsiders(sandboxOf(before), agentsOf(before), fallbacks);
    const terms = storiesTerms(options, before, await pluginInside(before, options.pluginDir));
    const proof = continuedProof(before.proof, defined({ allowEdit, acceptFlaky }));
    // This does not cover the budget of a story, which does not stop the others: the loop decides that with the list.
    const named = { name: shortName(environment.root, found.id), resume: 'ralph stories resume' };
    refuseSpent(reopened.state, terms, { at: Date.now(), ...named });
    return { terms, ...changeOf(reopened, { ...change, ...defined({ fallbacks, proof }) }) };
  };
  const resuming = { readAgain: again, prepare };
  const { loop, putAway } = await resumeLoop(storiesMachine, { id: found.id, cwd }, environment, resuming);
  const says = putAwayOrClose(loop, putAway);
  const begin = async (): Promise<void> => {
    const paths = { pins: [], allowEdit: allowEdit ?? [] };
    await warnOfUnmatched(paths, { ...options, loop: { id: found.id, folder: loop.folder }, cwd, host });
    for (const line of says) tell(line);
  };
  return hostStories(loop, host, options, { passedOver: { docker: null, os: null }, begin });
}

/** If the files cannot be moved, the loop is closed as it is, so that it can be continued later. */
function putAwayOrClose(loop: OpenLoop<StoriesData>, putAway: () => readonly string[]): readonly string[] {
  try {
    return putAway();
  } catch (error) {
    loop.close();
    throw error;
  }
}

/**
 * What a person changes by continuing the loop: options, and an answer to its question. `putAway` moves the message
 * files away; call it once the answer is on record.
 */
function changeOf({ state, folder }: OpenLoop<StoriesData>, change: Change) {
  const ending = state.phase.at === 'over' ? state.phase.ending : null;
  refuseToContinue(state, ending, change);
  if (ending === null)
    return { change: Object.keys(change).length === 0 ? {} : { options: change }, putAway: () => [] };
  const project = listIn(state.cwd, state.data.request.ralphDir);
  // An answer given with `ralph answer` is read with the inputs.
  const isAnswered = pendingControl(folder, state.consumed)?.told.some(({ as }) => as === 'answer') ?? false;
  const { answer, putAway } = consumeDecision(project, ending, isAnswered);
  return {
    change: { options: answer === null ? change : { ...change, answer } },
    putAway: () => [...putAway(folder), ...putBlockAway(project, folder)],
  };
}

function refuseToContinue(state: LoopState<StoriesData>, ending: Ending | null, { maxIterations }: Change): void {
  const { iteration, data } = state;
  // If a proof ended it, a person can allow what was changed.
  if (ending?.kind === 'tampered' && tamperedBy(data) === null)
    throw new RalphError('TAMPERED', `the last stories loop cannot be continued: ${ending.reason}`, {
      hint: `Look at what was changed (git log -p), then start again: ${runAgain(data.request)}`,
    });
  const made = isIterationOver(ending) ? iteration : iteration - 1;
  const limit = maxIterations ?? data.request.maxIterations;
  if (made < limit) return;
  const why = maxIterations === undefined ? `its limit is ${limit}` : '-n must be higher';
  const hint = `To continue with more, run: ralph stories resume -n ${made * 2}`;
  throw new RalphError('STORIES_OPTION', `the loop has already made ${plural(made, 'iteration')}: ${why}`, { hint });
}

function hostStories(
  loop: OpenLoop<StoriesData>,
  host: Host,
  options: StoriesOptions,
  how: {
    readonly passedOver: PassedOver;
    /** Called if the loop is not allowed here, or its sandbox is not available. */
    readonly refused?: (error: unknown) => never;
    readonly begin: (world: StoriesIsolation, settingOf: SettingOf) => void | Promise<void>;
  },
): Promise<Driven> {
  const { environment, pluginDir, tell } = options;
  const { folder } = loop;
  const { id, cwd, data } = loop.state;
  const { request } = data;
  const isolate = async (): Promise<StoriesIsolation> => {
    refuseUnsafe(request, pluginDir, environment.variables);
    // The user's own `.gitignore` does not have to list the harness's files.
    const inList = isAbsolute(request.ralphDir) ? [] : ['logs/', ...MESSAGE_FILES];
    const logs = request.proof === undefined ? [] : [LOGS];
    const patterns = [MARKER_NAME, QUARANTINED, ...logs, ...inList.map((name) => `**/${request.ralphDir}/${name}`)];
    for (const pattern of patterns) excludeFromGit(cwd, pattern);
    const context = { loop: { id, folder }, cwd, host, grace: GRACE_MS, stateRoot: environment.root.path };
    return openIsolation(request, { ...options, ...context, passedOver: how.passedOver });
  };
  let log: ReturnType<typeof iterationLog> | null = null;
  const open = async (closing: Closing) => {
    const world = await isolate().catch(how.refused);
    const { isolation, tree, loadPlugin } = world;
    closing.add(() => isolation.runner.close());
    // The file here is removed first. In a Docker sandbox that no longer answers, the marker does not matter.
    closing.add(() => removeMarker(tree).catch(() => undefined));
    const settingOf: SettingOf = (from, asked) => {
      const own = { loop: from, request: asked, copies: copiesIn(from) };
      return { ...listIn(cwd, asked.ralphDir), tree, loadPlugin, ...own };
    };
    const setting = settingOf(folder, request);
    log = iterationLog(setting.folder, host.mask, tell);
    await how.begin(world, settingOf);
    const work = () => workState(cwd, isolation.host, refusedLooks(folder));
    const snapshots = { cwd, env: isolation.host.env, tell };
    const place = { loop: { id, folder }, cwd, host, sandbox: request.sandbox, grace: GRACE_MS };
    const proving = { ...place, self: options.self, stateRoot: environment.root.path, warn: tell };
    return { perform: performers(id, setting, world, proving), work, snapshots };
  };
  const emit: StoriesOptions['emit'] = (event) => {
    log?.(event);
    options.emit(event);
  };
  const hosted = { machine: storiesMachine, resume: 'ralph stories resume', orphans: { grace: GRACE_MS }, open };
  return hostLoop(loop, hosted, { ...options, emit });
}

function performers(id: string, setting: StepSetting, world: StoriesIsolation, proving: ProofPlace) {
  const { host, runner, synced } = world.isolation;
  const { tree, loop: folder } = setting;
  const read = storiesReader(setting, world.pluginDir);
  const around = { loop: { id, folder }, cwd: tree.cwd, host, runner, grace: GRACE_MS };
  const local = localPerformers({ ...around, choosingHint: CHOOSING_HINT });
  const checks = localPerformers({ ...around, host: world.checkHost });
  const steps: StepPerformers<StoriesSteps> = { ...storiesSteps(setting), ...proofSteps(proving) };
  return performerOf({
    ...local,
    readInputs: ({ known, given }) => read(known, given as InputsGiven),
    check: (action, at) =>
      checks.check({ ...action, check: { ...action.check, log: join(folder, action.check.log) } }, at),
    async start(action) {
      // A pivot is no iteration of a story, so the hooks must not check it like one.
      if (action.run.purpose === PIVOT) await writeMarker(setting, { paused: true });
      return local.start(action);
    },
    async wait(action, at) {
      const result = await local.wait(action, at);
      // A person may have edited any file, not only those that the loop copies into the sandbox itself.
      if (result.kind === 'waited' && result.command === 'resume') await synced?.resync();
      if (result.kind === 'waited' && result.command === 'pause') await writeMarker(setting, { paused: true });
      return result;
    },
    steps,
  });
}
