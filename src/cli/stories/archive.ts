/** `ralph stories archive`. */
import { RalphError } from '../../core/error.ts';
import { archiveStories } from '../../loops/stories/commands/archive.ts';
import { endLoops } from '../../loops/stories/commands/end-loops.ts';
import { templatesOf } from '../../loops/stories/commands/plugin-folder.ts';
import { withOutsideLook } from '../../loops/stories/commands/read-only-worktree.ts';
import { surveyStories } from '../../loops/stories/commands/survey.ts';
import { livingMarker, markedElsewhere } from '../../loops/stories/files/active-file.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { listPlaceOf, type PlaceFlags, pluginOf } from './place.ts';
import type { Program } from './run.ts';

export interface ArchiveFlags extends PlaceFlags {
  readonly label?: string;
  readonly includeLogs?: boolean;
}

export async function archiveCommand(flags: ArchiveFlags, { here, self }: Program): Promise<number> {
  const { projectDir, ralphDir, environment } = listPlaceOf(flags);
  const { loop } = surveyStories({ projectDir, ralphDir, root: environment.root, place: thisMachine() });
  const marked = loop?.id === null ? livingMarker(projectDir, thisMachine()) : null;
  if (marked !== null) throw markedElsewhere(projectDir, marked);
  if (loop?.pid != null) {
    throw new RalphError('LOCKED', `a loop runs in ${projectDir} (pid ${loop.pid})`, {
      hint: `Wait for its end, or stop it first: kill ${loop.pid}`,
      exitCode: 2,
    });
  }
  const templates = templatesOf(pluginOf(environment, here));
  const label = flags.label?.trim() || null;
  const includeLogs = flags.includeLogs === true;
  const now = new Date();
  const ends = (): Promise<unknown> => endLoops(projectDir, environment, 'its papers were filed away');
  const request = { projectDir, ralphDir, label, includeLogs, templates, now, endLoops: ends };
  const looking = { cwd: projectDir, environment, self };
  const done = await withOutsideLook(looking, (look) => archiveStories({ ...request, look }));
  const commit = done.commit === null ? '' : ` and committed it (${done.commit.slice(0, 12)})`;
  process.stdout.write(`Archived ${done.complete}/${done.total} stories to ${done.path}${commit}\n`);
  if (done.problem !== null) process.stderr.write(`Warning: not committed: ${done.problem}\n`);
  process.stdout.write(`${ralphDir}/ is ready for the next loop; prompt.md is as it was.\n`);
  return 0;
}
