/** What a loop will do about `verifyCommands`, in a line for its start and for `--dry-run`. */

import type { TasksFile } from '../../loops/stories/list/tasks.ts';
import type { StoriesRequest } from '../../loops/stories/request.ts';

export function verifyPlan({ verifyCommands = [] }: TasksFile, { ralphDir, verify }: StoriesRequest): string {
  const commands = verifyCommands.filter((command) => command.trim() !== '').join(', ');
  if (commands === '')
    return `WARNING: ${ralphDir}/tasks.json has no verifyCommands: ralph runs no checks of its own, the agents' word is all there is`;
  return verify === false
    ? `WARNING: --no-verify: ralph does not run verifyCommands (${commands}), the agents' word is all there is`
    : `Before a story counts, ralph runs: ${commands}`;
}
