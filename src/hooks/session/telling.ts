/** How the host of a loop can be told things. */
import type { Telling } from '../../doors/insession/rules-messages.ts';
import type { SessionHost } from './host.ts';
import { taskFile } from './store.ts';

export function tellingFor({ longestText, unit }: SessionHost, folder: string): Telling {
  return { longestText, unit, taskFile: taskFile(folder) };
}
