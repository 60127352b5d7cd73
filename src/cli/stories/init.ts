/** `ralph stories init`. */
import { quoteWord } from '../../core/text/quote-word.ts';
import { endLoops } from '../../loops/stories/commands/end-loops.ts';
import { initStories } from '../../loops/stories/commands/init.ts';
import { planningCommand, templatesOf } from '../../loops/stories/commands/plugin-folder.ts';
import { MARKER_NAME } from '../../loops/stories/list/active-marker.ts';
import { excludeFromGit } from '../../scm/exclude.ts';
import { type PlaceFlags, placeOf, pluginOf } from './place.ts';

export interface InitFlags extends PlaceFlags {
  readonly name?: string;
  readonly force?: boolean;
}

export async function initCommand(flags: InitFlags, here: string): Promise<number> {
  const { projectDir, ralphDir, environment } = placeOf(flags);
  const pluginDir = pluginOf(environment, here);
  const templates = templatesOf(pluginDir);
  const name = flags.name?.trim() || null;
  const ends = (): Promise<unknown> => endLoops(projectDir, environment, 'a new plan was begun');
  const force = flags.force === true;
  const written = await initStories({ projectDir, ralphDir, name, force, templates, now: new Date(), endLoops: ends });
  excludeFromGit(projectDir, MARKER_NAME);
  const made = written.map((path) => `  ${path}\n`).join('');
  process.stdout.write(`Initialized ${ralphDir}/ in ${projectDir}\n${made}${nextSteps(ralphDir, pluginDir)}`);
  return 0;
}

function nextSteps(ralphDir: string, pluginDir: string | null): string {
  const at = ralphDir === 'ralph' ? '' : ` --ralph-dir ${quoteWord(ralphDir)}`;
  return `
Next steps:
  1. Write what is to be built into ${ralphDir}/prd.md and its stories into ${ralphDir}/tasks.json, or have both planned with you:
     ${planningCommand(pluginDir)}
  2. Commit, then run the loop: ralph stories run${at}
  3. When it is done: ralph stories archive
`;
}
