/** Where a stories command works: the project, the folder with its list, and the plugin. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { findPlugin } from '../../loops/stories/commands/plugin-folder.ts';
import { knownLoop } from '../../loops/stories/find-loop.ts';
import { projectFolder, ralphDirOf } from '../../loops/stories/loop.ts';

export interface PlaceFlags {
  readonly projectDir?: string;
  readonly ralphDir?: string;
}

export interface StoriesPlace {
  readonly projectDir: string;
  readonly ralphDir: string;
  readonly environment: Environment;
}

export function placeOf(flags: PlaceFlags): StoriesPlace {
  const projectDir = projectFolder(flags.projectDir ?? process.cwd());
  return { projectDir, ralphDir: ralphDirOf(projectDir, flags.ralphDir ?? 'ralph'), environment: readEnvironment() };
}

/** For what looks at a list that is there: without a word on where, the newest loop's own, as long as it has one. */
export function listPlaceOf(flags: PlaceFlags): StoriesPlace {
  const place = placeOf(flags);
  if (flags.ralphDir !== undefined) return place;
  const { projectDir, environment } = place;
  const last = knownLoop(environment.root, projectDir)?.request?.ralphDir;
  const isThere = last !== undefined && existsSync(resolve(projectDir, last, 'tasks.json'));
  return isThere ? { ...place, ralphDir: last } : place;
}

export function pluginOf({ variables }: Environment, here: string): string | null {
  return findPlugin(here, variables.RALPH_PLUGIN_DIR);
}
