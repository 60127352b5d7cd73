/** The script that is played when none is named, and the file in which a project keeps its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { effectiveSettings, readLayers } from '../../config/settings.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import { parseScript, type Script } from './script.ts';
import { scriptJsonSchema } from './script-schema.ts';
import { type StarterProject, starterText } from './starter-text.ts';

/** Below the project's folder. */
export const STARTER_FILE = '.ralph/rehearsal.yaml';

/** For a project that has no file yet. */
export function builtInScript(cwd: string): Script {
  return parseScript(starterText(projectAt(cwd)), 'the built-in script.yaml');
}

/** Editors complete the script by it; the comment in its first line leads there. */
const SCHEMA_FILE = 'rehearsal-script.schema.json';

/** Never over something that is there. */
export async function writeStarter(cwd: string, path: string): Promise<void> {
  if (/\.json$/i.test(path)) {
    throw refuse(`The starter is YAML, and ${path} would be read as JSON.`, 'Name a file that ends in .yaml.');
  }
  const text = `# yaml-language-server: $schema=./${SCHEMA_FILE}\n${starterText(projectAt(cwd))}`;
  const file = resolve(cwd, path);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    await writeFile(join(dirname(file), SCHEMA_FILE), `${JSON.stringify(scriptJsonSchema(), null, 2)}\n`);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EEXIST') throw refuse(`${path} is there already.`, 'Change it, or name another file with --script.');
    if (code === undefined) throw error;
    throw refuse(`${path} cannot be written (${code}).`, 'Name another file with --script.');
  }
}

/** Without any settings: what `ralph session` and agents by themselves go by. */
function projectAt(cwd: string): StarterProject {
  const layers = readLayers(cwd);
  if (layers.base === null && layers.local === null) {
    return { completionResponse: 'DONE', guardrails: [], commits: false };
  }
  const { completionResponse, guardrails, scm } = effectiveSettings(layers);
  const commands = new Set(guardrails.map(({ command }) => command));
  return { completionResponse, guardrails: [...commands], commits: scm?.tasks.includes('commit') ?? false };
}

function refuse(message: string, hint: string): RalphError {
  return new RalphError('rehearsal-starter', message, { hint, exitCode: 2 });
}
