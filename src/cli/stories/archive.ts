/** `ralph stories archive`. */
import { RalphError } from '../../core/error.ts';
import { archiveStories } from '../../loops/stories/commands/archive.ts';
import { withReadOnlyTree } from '../../loops/stories/commands/read-only-worktree.ts';
import { surveyStories } from '../../loops/stories/commands/survey.ts';
import { livingMarker, markedElsewhere } from '../../loops/stories/files/active-file.ts';
import { templatesOf } from '../../loops/stories/project.ts';
import { listedProjectOf, type ProjectFlags, pluginOf } from './project.ts';
import type { Program } from './run.ts';

export interface ArchiveFlags extends ProjectFlags {
  readonly label?: string;
  readonly includeLogs?: boolean;
}

export async function archiveCommand(flags: ArchiveFlags, { here, self }: Program): Promise<number> {
  const project = listedProjectOf(flags);
  const { cwd, ralphDir, environment } = project;
  const { loop } = surveyStories(project);
  const marked = loop?.id === null ? livingMarker(cwd) : null;
  if (marked !== null) throw markedElsewhere(cwd, marked);
  if (loop?.pid != null) {
    throw new RalphError('LOCKED', `a loop runs in ${cwd} (pid ${loop.pid})`, {
      hint: `Wait for its end, or stop it first: kill ${loop.pid}`,
    });
  }
  const templates = templatesOf(pluginOf(environment, here));
  const request = { label: flags.label?.trim() || null, includeLogs: flags.includeLogs === true, templates };
  const done = await withReadOnlyTree(project, self, (look) => archiveStories(project, { ...request, look }));
  const commit = done.commit === null ? '' : ` and committed it (${done.commit.slice(0, 12)})`;
  process.stdout.write(`Archived ${done.complete}/${done.total} stories to ${done.path}${commit}\n`);
  if (done.problem !== null) process.stderr.write(`Warning: not committed: ${done.problem}\n`);
  process.stdout.write(`${ralphDir}/ is ready for the next loop; prompt.md is as it was.\n`);
  return 0;
}
