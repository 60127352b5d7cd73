/** `ralph stories check`: what the Stop hook would say now. */
import { checkStories } from '../../loops/stories/commands/check.ts';
import { withReadOnlyTree } from '../../loops/stories/commands/read-only-worktree.ts';
import { printable } from '../../stream/printable.ts';
import { listedProjectOf, type ProjectFlags } from './project.ts';
import type { Program } from './run.ts';

export async function checkCommand(flags: ProjectFlags, { self }: Program): Promise<number> {
  const project = listedProjectOf(flags);
  const checked = await withReadOnlyTree(project, self, (look) => checkStories(project, look));
  const { isHeld, by, reasons, verifyCommands } = checked;
  if (reasons.length > 0) {
    process.stdout.write(`${printable(reasons.join('\n\n'))}\n`);
    const what = isHeld ? 'The Stop hook would not let the agent stop' : 'Not in order';
    process.stderr.write(`[ralph] ${what} (${by}).\n`);
    return 1;
  }
  process.stdout.write(`[ralph] All checks passed (${by}).\n`);
  if (verifyCommands.length > 0)
    process.stdout.write(
      `[ralph] Not run here: ${printable(verifyCommands.join(', '))}. The loop runs them before a story counts.\n`,
    );
  return 0;
}
