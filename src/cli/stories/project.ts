/** Which project a stories command works in, by its flags. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { knownLoop } from '../../loops/stories/find-loop.ts';
import { type CommandProject, findPlugin, listIn, projectIn } from '../../loops/stories/project.ts';

export interface ProjectFlags {
  readonly projectDir?: string;
  readonly ralphDir?: string;
}

export function projectOf(flags: ProjectFlags): CommandProject {
  const project = projectIn(flags.projectDir ?? process.cwd(), flags.ralphDir ?? 'ralph');
  return { ...project, environment: readEnvironment() };
}

/** For what looks at a list that is there: without `--ralph-dir` the newest loop's own, as long as it has one. */
export function listedProjectOf(flags: ProjectFlags): CommandProject {
  const project = projectOf(flags);
  const { cwd, environment } = project;
  const last = flags.ralphDir === undefined ? knownLoop(environment.root, cwd)?.request?.ralphDir : undefined;
  if (last === undefined) return project;
  const list = listIn(cwd, last);
  return existsSync(join(list.folder, 'tasks.json')) ? { ...project, ...list } : project;
}

export function pluginOf({ variables }: Environment, here: string): string | null {
  return findPlugin(here, variables.RALPH_PLUGIN_DIR);
}
