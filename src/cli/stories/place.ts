/** Where a stories command works: the project, the folder with its list, and the plugin. */
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { projectFolder, ralphDirOf } from '../../doors/stories/loop.ts';
import { findPlugin } from '../../doors/stories/plugin-folder.ts';

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

export function pluginOf({ variables }: Environment, here: string): string | null {
  return findPlugin(here, variables.RALPH_PLUGIN_DIR);
}
