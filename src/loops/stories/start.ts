/** Starts a stories loop: what is wrong shows before anything is made, and what an earlier loop left is put away. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkState } from '../../core/closing-summary.ts';
import { systemFault } from '../../core/system-fault.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { plural } from '../../core/usage.ts';
import type { Driven } from '../../engine/drive.ts';
import { beginLoop, homeOf, hostOf } from '../../engine/host.ts';
import { endOrphans } from '../../engine/orphans.ts';
import { workState } from '../../scm/work-state.ts';
import { loopFolder, type StateRoot } from '../../state/paths.ts';
import { readPlain, readPlainBytes } from '../../state/plain-file.ts';
import { isTemplatePrd } from './commands/init.ts';
import { takeOverMarker } from './files/active-file.ts';
import { nameOf } from './files/copies.ts';
import { consumeDecision, putBlockAway } from './files/messages.ts';
import { LARGEST_PRD } from './files/work-tree.ts';
import { dataIn, GRACE_MS, newestStories } from './find-loop.ts';
import { refuseUnready } from './inputs.ts';
import { refuseMissingAgents, refuseUnsafe, resolveStories, type StoriesIsolation } from './isolation.ts';
import { putLogsAside } from './iteration-log.ts';
import { unreachableStories } from './list/judge.ts';
import { estimateBudget } from './list/mode.ts';
import { readTasks } from './list/tasks.ts';
import { hostStories, type SettingOf, type StoriesOptions } from './loop.ts';
import { refuseLeadingOut, type StoriesProject } from './project.ts';
import type { StoriesRequest } from './request.ts';
import { storiesMachine } from './rules.ts';
import { putBack } from './steps.ts';
import { verifyPlan } from './transitions.ts';

export async function runStories(given: StoriesRequest, options: StoriesOptions): Promise<Driven> {
  const { project, environment, pluginDir, self, tell } = options;
  const { cwd } = project;
  const env = environment.variables;
  refuseLeadingOut(project);
  const tasks = refuseUnready(project, given, pluginDir);
  const { request, passedOver } = await resolveStories(given, { cwd, env, self });
  refuseUnsafe(request, pluginDir, env);
  refuseMissingAgents(request, cwd, env.PATH);
  const host = hostOf(environment);
  takeOverMarker(cwd, host.place, tell);
  const last = newestStories(environment.root, cwd);
  const decision = consumeDecision(project, last?.ending ?? null);
  const created = { loopKind: 'stories', cwd, options: { ...request, answer: decision.answer } };
  const loop = beginLoop(storiesMachine, created, options, homeOf(environment, host));
  const { id } = loop.state;
  // A loop that may not begin has never been: the earlier one is still the one to be resumed.
  const forget = (error: unknown): never => {
    rmSync(loop.folder, { recursive: true, force: true });
    throw systemFault(error) ?? error;
  };
  const begin = async ({ isolation }: StoriesIsolation, settingOf: SettingOf): Promise<void> => {
    await endOrphans(environment.root, { cwd, except: id }, GRACE_MS);
    const work = await workState(cwd, isolation.host, join(loop.folder, 'looks.refused'));
    if (last?.ending === null)
      tell(
        `WARNING: loop ${last.id} was interrupted and is replaced by this one: from now on "ralph stories resume" continues this one`,
      );
    for (const line of startWarnings(work, project, pluginDir)) tell(line);
    const restored = await putBackOfEarlier(cwd, id, settingOf, environment.root).catch(forget);
    const putAway = [
      ...decision.putAway(loop.folder),
      ...putBlockAway(project, loop.folder, ' of an earlier loop'),
      ...putLogsAside(project, id, last?.id ?? null),
    ];
    for (const line of [...restored, ...putAway]) tell(line);
    const list = restored.length === 0 ? tasks : refuseUnready(project, request, pluginDir);
    for (const problem of unreachableStories(new Map(), list)) tell(`WARNING: ${problem}`);
    tell(`Estimated budget: ${estimateBudget(list, request)}`);
    tell(verifyPlan(list, request));
  };
  return hostStories(loop, host, options, { passedOver, refused: forget, begin });
}

/** What a person would want to know before the first iteration; none of it stops the loop. */
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

/**
 * What a loop that was killed in the middle of an iteration left in the list is no verdict: who starts anew instead of
 * resuming gets the list as it was before that iteration. Gives the lines to say. The caller holds the work tree's lock.
 */
async function putBackOfEarlier(
  cwd: string,
  current: string,
  settingOf: SettingOf,
  root: StateRoot,
): Promise<string[]> {
  const earlier = newestStories(root, cwd, current);
  if (earlier === null || earlier.ending !== null) return [];
  const loop = loopFolder(root, earlier.id);
  const data = dataIn(loop);
  if (data === null) return ['The records of an earlier loop cannot be read; nothing is put back.'];
  if (data.running === null) return [];
  const { tasks, prd, head } = data.running;
  const setting = settingOf(loop, data.request);
  const nameNow = (file: string): string | null => {
    const content = readPlainBytes(join(setting.folder, file), LARGEST_PRD);
    return content === null ? null : nameOf(content);
  };
  if (nameNow('tasks.json') === tasks && nameNow('prd.md') === prd) return [];
  if (!isSamePlan(setting.copies.text(tasks), readPlain(join(setting.folder, 'tasks.json'))))
    return ['An earlier loop was cut off in the middle of an iteration, with another list; nothing is put back.'];
  const { kept } = await putBack(setting, { why: 'interrupted', tasks, prd, head }, 'left');
  return [
    'An earlier loop was cut off in the middle of an iteration; the story list is put back as it was before it.',
    ...kept.map((path) => `What was there is kept in ${path}`),
  ];
}

/** What holds other stories, or another project's, is a plan that a person has made since; what is no list is none. */
function isSamePlan(before: string | null, now: string | null): boolean {
  const [was, is] = [readTasks(before), readTasks(now)];
  if (!was.isValid || !is.isValid) return true;
  const ids = new Set(is.tasks.userStories.map(({ id }) => id));
  return was.tasks.project === is.tasks.project && was.tasks.userStories.every(({ id }) => ids.has(id));
}
