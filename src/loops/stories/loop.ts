/** Composes a stories loop: its rules, the project's files and the performers of this machine around one machine. */
import { realpathSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { WorkState } from '../../core/closing-summary.ts';
import { canContinue } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { loopMachine } from '../../core/machine.ts';
import { reasonOf, systemFault } from '../../core/system-fault.ts';
import { plural } from '../../core/usage.ts';
import { tellLoop, wantedOf } from '../../engine/control.ts';
import type { Driven } from '../../engine/drive.ts';
import type { LoopEvent } from '../../engine/events.ts';
import {
  beginLoop,
  type Closing,
  type HostOptions,
  homeOf,
  hostLoop,
  hostOf,
  type LoopWorld,
} from '../../engine/host.ts';
import { type OpenLoop, reopenLoop } from '../../engine/loop.ts';
import { endOrphans } from '../../engine/orphans.ts';
import type { Perform } from '../../engine/perform.ts';
import { localPerformers, performerOf } from '../../engine/performers.ts';
import type { Host } from '../../process/host.ts';
import type { PassedOver } from '../../runners/choose.ts';
import { excludeFromGit } from '../../scm/exclude.ts';
import { workState } from '../../scm/work-state.ts';
import { loopFolder } from '../../state/paths.ts';
import { readPlain } from '../../state/plain-file.ts';
import { unlessUnreadable } from '../../state/registry.ts';
import { isTemplatePrd } from './commands/init.ts';
import { type ContinueStories, continueStories } from './continue-loop.ts';
import { putBackOfEarlier } from './earlier-loop.ts';
import { removeMarker, takeOver } from './files/active-file.ts';
import { putPapersAway } from './files/archive-previous-logs.ts';
import { consumeDecision } from './files/consume-decision.ts';
import { copiesIn } from './files/copies.ts';
import { TOLD_FILES } from './files/messages.ts';
import { PUT_ASIDE, realIfThere, refuseLeadingOut } from './files/project-file.ts';
import { newestStories } from './find-loop.ts';
import { refuseUnready, storiesReader, wholeInputs } from './inputs.ts';
import { NOT_PASSED_OVER, openIsolation, resolveStories, type Self, type StoriesIsolation } from './isolation.ts';
import { iterationLog } from './iteration-log.ts';
import { MARKER_NAME } from './list/active-marker.ts';
import { unreachableStories } from './list/dependencies.ts';
import type { TasksFile } from './list/tasks.ts';
import {
  CHOOSING_HINT,
  loopEnvironment,
  refuseMissingAgents,
  refuseUnsafe,
  withoutLoopVariables,
} from './preflight.ts';
import type { StoriesRequest } from './request.ts';
import { storiesRules } from './rules.ts';
import type { SeenBefore, StoriesInputs } from './step-payloads.ts';
import { markPaused, type StepSetting, storiesSteps } from './steps.ts';
import type { StoriesData } from './story-state.ts';

export interface StoriesOptions extends Omit<HostOptions<StoriesData>, 'self'> {
  readonly projectDir: string;
  readonly pluginDir: string | null;
  readonly isRoot: boolean;
  readonly self: Self;
  /** Called once the loop may begin, with its list. */
  readonly begins: (tasks: TasksFile, request: StoriesRequest) => void;
}

export const GRACE_MS = 5000;
export const storiesMachine = loopMachine(storiesRules);

export async function runStories(given: StoriesRequest, options: StoriesOptions): Promise<Driven> {
  const { environment, self } = options;
  const cwd = projectFolder(options.projectDir);
  refuseLeadingOut(cwd, given.ralphDir);
  const tasks = refuseUnready(resolve(cwd, given.ralphDir), given, options.pluginDir);
  const { request, passedOver } = await resolveStories(given, { cwd, env: environment.variables, self });
  refuseHere(request, options);
  refuseMissingAgents(request, cwd, environment.variables.PATH);
  const host = hostOf(environment);
  takeOverMarker(cwd, host, options);
  const { ralphDir } = request;
  const folder = resolve(cwd, ralphDir);
  const last = newestStories(environment.root, cwd);
  const taken = consumeDecision(cwd, ralphDir, last);
  const created = { loopKind: 'stories', cwd, options: { ...request, answer: taken.answer } };
  const loop = beginLoop(storiesMachine, created, options, homeOf(environment, host));
  const { id } = loop.state;
  const begin = async ({ isolation }: StoriesIsolation, settingOf: SettingOf): Promise<void> => {
    await endOrphans(environment.root, { cwd, except: id }, GRACE_MS);
    const work = await workState(cwd, isolation.host, join(loop.folder, 'looks.refused'));
    // Whoever meant to go on with it has to know.
    if (last?.ending === null) options.tell(replaces(last.id));
    for (const line of startWarnings(work, folder, ralphDir, options.pluginDir)) options.tell(line);
    const earlier = await putBackOfEarlier(cwd, id, settingOf, environment.root).catch(forget(loop));
    const papers = { cwd, folder, ralphDir, loop: { id, folder: loop.folder }, earlier: last?.id ?? null };
    for (const line of [...earlier, ...taken.putAway(loop.folder), ...putPapersAway(papers)]) options.tell(line);
    const isAsItWas = earlier.length === 0;
    const list = isAsItWas ? tasks : refuseUnready(folder, request, options.pluginDir);
    for (const problem of unreachableStories(new Map(), list)) options.tell(`WARNING: ${problem}`);
    options.begins(list, request);
  };
  return hostStories(loop, host, options, { passedOver, refused: forget(loop), begin });
}

/** What a person would want to know before the first iteration; none of it stops the loop. */
function startWarnings(work: WorkState, folder: string, ralphDir: string, pluginDir: string | null): string[] {
  const prd = readPlain(join(folder, 'prd.md'));
  const isTemplate = pluginDir !== null && isTemplatePrd(prd, join(pluginDir, 'templates'));
  const files = work.kind === 'uncommitted' ? work.files : 0;
  return [
    ...(work.kind === 'no-repository' ? [NO_REPOSITORY] : []),
    ...(files === 0
      ? []
      : [
          `WARNING: ${plural(files, 'changed file')} not committed: the first commit of an agent will hold ${files === 1 ? 'it' : 'them'}, too`,
        ]),
    ...(isTemplate ? [`WARNING: ${ralphDir}/prd.md is still the template: it tells the agents nothing`] : []),
  ];
}

const NO_REPOSITORY =
  'WARNING: this is not a git repository: nothing is committed, reviewers see no differences, and a review that changes code itself is not noticed. To make it one, run: git init';

function replaces(id: string): string {
  return `WARNING: loop ${id} was interrupted and is replaced by this one: from now on "ralph stories resume" continues this one`;
}

/** A loop that may not begin has never been: the earlier one is still the one to be resumed. */
function forget({ folder }: OpenLoop<StoriesData>): (error: unknown) => never {
  return (error) => {
    rmSync(folder, { recursive: true, force: true });
    // There is nothing to resume.
    throw systemFault(error) ?? error;
  };
}

/** Continues the newest loop of the project, unless it is done or was stopped. */
export async function resumeStories(options: StoriesOptions, change: ContinueStories = {}): Promise<Driven> {
  const { environment } = options;
  const cwd = projectFolder(options.projectDir);
  const found = newestStories(environment.root, cwd);
  if (found === null || (found.ending !== null && !canContinue(found.ending))) {
    throw new RalphError('NOTHING_TO_RESUME', `no unfinished stories loop in ${cwd}`, {
      hint: unlessUnreadable(environment.root, 'Start one: ralph stories run'),
      exitCode: 2,
    });
  }
  const host = hostOf(environment);
  takeOverMarker(cwd, host, options);
  const folder = loopFolder(environment.root, found.id);
  const again = (_request: StoriesRequest, masked: StoriesInputs) => wholeInputs(masked, copiesIn(folder));
  const reopened = reopenLoop(storiesMachine, found.id, cwd, homeOf(environment, host), again);
  const { loop, says } = continueStories(reopened, found, change);
  const begin = async (): Promise<void> => {
    for (const line of says) options.tell(line);
    if (wantedOf(folder) === 'pause') tellLoop(folder, 'resume');
    await Promise.resolve();
  };
  const refused = (error: unknown): never => {
    throw error;
  };
  return hostStories(loop, host, options, { passedOver: NOT_PASSED_OVER, refused, begin });
}

function refuseHere(request: StoriesRequest, { environment, isRoot, pluginDir }: StoriesOptions): void {
  refuseUnsafe(request, { isRoot, env: environment.variables, pluginDir });
}

export function projectFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new RalphError('WORK_TREE', `cannot work in ${path}: ${reasonOf(error)}`, { exitCode: 2 });
  }
}

/** As seen from the project's folder, which is where a relative one begins; one elsewhere by its real path. */
export function ralphDirOf(projectDir: string, given: string): string {
  const path = resolve(projectDir, given);
  const inside = relative(projectDir, path);
  const isOutside = inside === '' || inside.startsWith('..') || isAbsolute(inside);
  return isOutside ? realOf(path) : inside;
}

/** Of what is not there yet, the folder that it will be in. */
function realOf(path: string): string {
  return realIfThere(path) ?? (dirname(path) === path ? path : join(realOf(dirname(path)), basename(path)));
}

type SettingOf = (loop: string, request: StoriesRequest) => StepSetting;

/** How a loop gets from being opened to its first turn. */
interface Beginning {
  readonly passedOver: PassedOver;
  /** It is not allowed here, or its sandbox cannot be had. */
  readonly refused: (error: unknown) => never;
  readonly begin: (world: StoriesIsolation, settingOf: SettingOf) => Promise<void>;
}

function hostStories(
  loop: OpenLoop<StoriesData>,
  base: Host,
  options: StoriesOptions,
  { passedOver, refused, begin }: Beginning,
): Promise<Driven> {
  const { environment, tell, emit } = options;
  const { folder } = loop;
  const { id, cwd, data } = loop.state;
  const { request } = data;
  const isolate = (host: Host): Promise<StoriesIsolation> => {
    refuseHere(request, options);
    keepOut(cwd, request.ralphDir);
    const place = { loop: { id, folder }, cwd, host, grace: GRACE_MS, stateRoot: environment.root.path };
    return openIsolation(request, { ...options, ...place, passedOver });
  };
  let log: ReturnType<typeof iterationLog> | null = null;
  const open = async (closing: Closing): Promise<LoopWorld> => {
    const host = { ...base, env: loopEnvironment(base.env, request, cwd) };
    const world = await Promise.resolve(host).then(isolate).catch(refused);
    closing.add(() => world.isolation.runner.close());
    // Here it is gone by then; a machine that does not answer any more has none that matters.
    closing.add(() => removeMarker(world.tree).catch(() => undefined));
    const settingOf = settings(cwd, world, host);
    const setting = settingOf(folder, request);
    log = iterationLog(setting, host.mask, tell);
    await begin(world, settingOf);
    return {
      perform: performers(loop, setting, world, base.env),
      work: () => workState(cwd, world.isolation.host, join(folder, 'looks.refused')),
    };
  };
  const logged = (event: LoopEvent<StoriesData>): void => {
    log?.(event);
    emit(event);
  };
  return hostLoop(
    loop,
    { machine: storiesMachine, resume: 'ralph stories resume', open },
    { ...options, emit: logged },
  );
}

function performers(
  loop: OpenLoop<StoriesData>,
  setting: StepSetting,
  { isolation, pluginDir }: StoriesIsolation,
  users: NodeJS.ProcessEnv,
): Perform {
  const { host, runner, synced } = isolation;
  const { tree, folder, request, copies } = setting;
  const read = storiesReader({ folder, request, copies, pluginDir });
  const around = {
    loop: { id: loop.state.id, folder: loop.folder },
    cwd: tree.cwd,
    host,
    runner,
    grace: GRACE_MS,
    now: Date.now,
    choosingHint: CHOOSING_HINT,
  };
  const local = localPerformers(around);
  const checks = localPerformers({ ...around, host: { ...host, env: withoutLoopVariables(host.env, users) } });
  return performerOf({
    ...local,
    // Given by this loop kind's own rules.
    readInputs: ({ known, given }) => read(known, given as SeenBefore),
    check: (action, at) =>
      checks.check({ ...action, check: { ...action.check, log: join(loop.folder, action.check.log) } }, at),
    async wait(action, at) {
      const result = await local.wait(action, at);
      // A person has had time to edit, and not only what the loop itself carries in.
      if (result.kind === 'waited' && result.command === 'resume') await synced?.resync();
      if (result.kind === 'waited' && result.command === 'pause') await markPaused(setting);
      return result;
    },
    steps: storiesSteps(setting),
  });
}

function settings(cwd: string, { tree, loadPlugin }: StoriesIsolation, { place }: Host): SettingOf {
  return (loop, request) => {
    const { ralphDir } = request;
    const folder = resolve(cwd, ralphDir);
    return { tree, folder, ralphDir, loop, request, copies: copiesIn(loop), place, loadPlugin };
  };
}

/** The user's own `.gitignore` need not name what is ours. */
function keepOut(cwd: string, ralphDir: string): void {
  for (const pattern of [MARKER_NAME, PUT_ASIDE]) excludeFromGit(cwd, pattern);
  if (isAbsolute(ralphDir)) return;
  for (const name of ['logs/', ...TOLD_FILES]) excludeFromGit(cwd, `**/${ralphDir}/${name}`);
}

function takeOverMarker(cwd: string, host: Host, { tell }: StoriesOptions): void {
  const pid = takeOver(cwd, host.place);
  if (pid !== null) tell(`${MARKER_NAME} was left by process ${pid}, which is gone; taking it over`);
}
