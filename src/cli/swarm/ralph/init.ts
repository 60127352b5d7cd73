/** `swarm ralph init` and `swarm ralph template`: a prompt to start from. */
import { join } from 'node:path';
import { errnoOf } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { PROMPT_TEMPLATE } from '../../../loops/swarm/ralph/template.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { writeFile } from '../../../process/files.ts';

const FILE = 'PROMPT.md';

export function initPrompt({ force }: { readonly force: boolean }, { cwd, say }: Swarm): number {
  const path = join(cwd, FILE);
  try {
    writeFile(path, PROMPT_TEMPLATE, { flag: 'wx' });
    say(`created ${FILE}`);
    return 0;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw refused(`cannot write ${FILE}: ${reasonOf(error)}`);
  }
  if (!force) throw refused(`${FILE} already exists (use --force to overwrite)`);
  writeFile(path, PROMPT_TEMPLATE);
  say(`created ${FILE} (overwritten)`);
  return 0;
}

export function printTemplate({ show }: Swarm): number {
  show(PROMPT_TEMPLATE);
  return 0;
}
