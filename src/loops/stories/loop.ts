/** Hosts a stories loop: its rules, the project's files and the performers of this machine around one machine. */
import { isAbsolute, join } from 'node:path';
import type { Driven } from '../../engine/drive.ts';
import { type Closing, type HostOptions, hostLoop, type LoopWorld } from '../../engine/host.ts';
import type { OpenLoop } from '../../engine/loop.ts';
import type { Perform } from '../../engine/performers/perform.ts';
import { localPerformers, performerOf } from '../../engine/performers/performers.ts';
import type { Host } from '../../process/host.ts';
import type { PassedOver } from '../../runners/choose.ts';
import { excludeFromGit } from '../../scm/exclude.ts';
import { workState } from '../../scm/work-state.ts';
import { removeMarker } from './files/active-file.ts';
import { copiesIn } from './files/copies.ts';
import { MESSAGE_FILES } from './files/messages.ts';
import { PUT_ASIDE } from './files/work-tree.ts';
import { GRACE_MS } from './find-loop.ts';
import { storiesReader } from './inputs.ts';
import {
  CHOOSING_HINT,
  loopEnvironment,
  openIsolation,
  refuseUnsafe,
  type StoriesIsolation,
  withoutLoopVariables,
} from './isolation.ts';
import { iterationLog } from './iteration-log.ts';
import { MARKER_NAME } from './list/active-marker.ts';
import { listIn, type StoriesProject } from './project.ts';
import type { StoriesRequest } from './request.ts';
import { storiesMachine } from './rules.ts';
import type { StoriesData } from './state.ts';
import { type StepSetting, storiesSteps, writeMarker } from './steps.ts';

export interface StoriesOptions extends HostOptions<StoriesData> {
  readonly project: StoriesProject;
  readonly pluginDir: string | null;
}

export type SettingOf = (loop: string, request: StoriesRequest) => StepSetting;

/** How a loop gets from being opened to its first turn. */
export interface Beginning {
  readonly passedOver: PassedOver;
  /** Called where the loop is not allowed here, or its sandbox cannot be had. */
  readonly refused: (error: unknown) => never;
  readonly begin: (world: StoriesIsolation, settingOf: SettingOf) => void | Promise<void>;
}

export function hostStories(
  loop: OpenLoop<StoriesData>,
  base: Host,
  options: StoriesOptions,
  { passedOver, refused, begin }: Beginning,
): Promise<Driven> {
  const { environment, pluginDir, tell, emit } = options;
  const { folder } = loop;
  const { id, cwd, data } = loop.state;
  const { request } = data;
  const host = { ...base, env: loopEnvironment(base.env, request, cwd) };
  const isolate = async (): Promise<StoriesIsolation> => {
    refuseUnsafe(request, pluginDir, environment.variables);
    keepOut(cwd, request.ralphDir);
    const context = { loop: { id, folder }, cwd, host, grace: GRACE_MS, stateRoot: environment.root.path };
    return openIsolation(request, { ...options, ...context, passedOver });
  };
  let log: ReturnType<typeof iterationLog> | null = null;
  const open = async (closing: Closing): Promise<LoopWorld> => {
    const world = await isolate().catch(refused);
    const { isolation, tree, loadPlugin } = world;
    closing.add(() => isolation.runner.close());
    // Here it is gone by then; a machine that does not answer any more has none that matters.
    closing.add(() => removeMarker(tree).catch(() => undefined));
    const settingOf: SettingOf = (from, asked) => {
      const { ralphDir, folder: list } = listIn(cwd, asked.ralphDir);
      const machine = host.place;
      return { tree, folder: list, ralphDir, loop: from, request: asked, copies: copiesIn(from), machine, loadPlugin };
    };
    const setting = settingOf(folder, request);
    log = iterationLog(setting.folder, host.mask, tell);
    await begin(world, settingOf);
    return {
      perform: performers(loop, setting, world, base.env),
      work: () => workState(cwd, isolation.host, join(folder, 'looks.refused')),
    };
  };
  return hostLoop(
    loop,
    { machine: storiesMachine, resume: 'ralph stories resume', open },
    {
      ...options,
      emit(event) {
        log?.(event);
        emit(event);
      },
    },
  );
}

function performers(
  loop: OpenLoop<StoriesData>,
  setting: StepSetting,
  { isolation, pluginDir }: StoriesIsolation,
  users: NodeJS.ProcessEnv,
): Perform {
  const { host, runner, synced } = isolation;
  const read = storiesReader(setting, pluginDir);
  const around = {
    loop: { id: loop.state.id, folder: loop.folder },
    cwd: setting.tree.cwd,
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
    readInputs: ({ known, given }) => read(known, given as StoriesData['seen']),
    check: (action, at) =>
      checks.check({ ...action, check: { ...action.check, log: join(loop.folder, action.check.log) } }, at),
    async wait(action, at) {
      const result = await local.wait(action, at);
      // A person has had time to edit, and not only what the loop itself carries in.
      if (result.kind === 'waited' && result.command === 'resume') await synced?.resync();
      if (result.kind === 'waited' && result.command === 'pause') await writeMarker(setting, { paused: true });
      return result;
    },
    steps: storiesSteps(setting),
  });
}

/** The user's own `.gitignore` need not name what is ours. */
function keepOut(cwd: string, ralphDir: string): void {
  for (const pattern of [MARKER_NAME, PUT_ASIDE]) excludeFromGit(cwd, pattern);
  if (isAbsolute(ralphDir)) return;
  for (const name of ['logs/', ...MESSAGE_FILES]) excludeFromGit(cwd, `**/${ralphDir}/${name}`);
}
