/** `ralph stories init`. */
import { endLoops } from '../../doors/stories/end-loops.ts';
import { initStories } from '../../doors/stories/init.ts';
import { templatesOf } from '../../doors/stories/plugin-folder.ts';
import { MARKER_NAME } from '../../doors/stories/rules-marker.ts';
import { excludeFromGit } from '../../scm/exclude.ts';
import { type PlaceFlags, placeOf, pluginOf } from './place.ts';

export interface InitFlags extends PlaceFlags {
  readonly name?: string;
  readonly force?: boolean;
}

export async function initCommand(flags: InitFlags, here: string): Promise<number> {
  const { projectDir, ralphDir, environment } = placeOf(flags);
  const templates = templatesOf(pluginOf(environment, here));
  const name = flags.name?.trim() || null;
  const ends = (): Promise<unknown> => endLoops(projectDir, environment, 'a new plan was begun');
  const force = flags.force === true;
  const written = await initStories({ projectDir, ralphDir, name, force, templates, now: new Date(), endLoops: ends });
  excludeFromGit(projectDir, MARKER_NAME);
  process.stdout.write(
    `Initialized ${ralphDir}/ in ${projectDir}\n${written.map((path) => `  ${path}\n`).join('')}${NEXT}`,
  );
  return 0;
}

const NEXT = `
Next steps:
  1. Write what is to be built into ralph/prd.md, or have it asked out of you: /ralph-plan in Claude Code
  2. Fill ralph/tasks.json with stories; /ralph-plan derives them from ralph/prd.md
  3. Commit, then run the loop: ralph stories run
  4. When it is done: ralph stories archive
`;
