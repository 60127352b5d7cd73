/** `ralph stories init`. */
import { quoteWord } from '../../core/text/quote-word.ts';
import { initStories } from '../../loops/stories/commands/init.ts';
import { MARKER_NAME } from '../../loops/stories/list/active-marker.ts';
import { planningCommand, templatesOf } from '../../loops/stories/project.ts';
import { excludeFromGit } from '../../scm/exclude.ts';
import { type ProjectFlags, pluginOf, projectOf } from './project.ts';
import type { Program } from './run.ts';

export interface InitFlags extends ProjectFlags {
  readonly name?: string;
  readonly force?: boolean;
}

export async function initCommand(flags: InitFlags, { here }: Program): Promise<number> {
  const project = projectOf(flags);
  const { cwd, ralphDir, environment } = project;
  const pluginDir = pluginOf(environment, here);
  const templates = templatesOf(pluginDir);
  const name = flags.name?.trim() || null;
  const written = await initStories(project, { name, force: flags.force === true, templates });
  excludeFromGit(cwd, MARKER_NAME);
  const made = written.map((path) => `  ${path}\n`).join('');
  process.stdout.write(`Initialized ${ralphDir}/ in ${cwd}\n${made}${nextSteps(ralphDir, pluginDir)}`);
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
