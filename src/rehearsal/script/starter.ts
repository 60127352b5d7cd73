/** The script that is played when none is named, and the file in which a project keeps its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { effectiveSettings, readLayers } from '../../config/settings.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import { parseScript, type Script, scriptJsonSchema } from './script.ts';

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
  return new RalphError('rehearsal-starter', message, { hint });
}

/** The starter is made of the project's own completion response, guardrails and commits, with words for a reader. */
export interface StarterProject {
  readonly completionResponse: string;
  /** The commands. */
  readonly guardrails: readonly string[];
  readonly commits: boolean;
}

/** YAML, in which a text in JSON's quotes is one, too. It leaves one file, in the work tree where also a sandboxed agent may write, and ends a loop also where a guardrail keeps failing. */
export function starterText({ completionResponse, guardrails, commits }: StarterProject): string {
  const done = `Finished. <response>${completionResponse}</response> <promise>${completionResponse}</promise>`;
  return [
    OPENING,
    'turns:',
    ...(commits ? [COMMIT_MESSAGE] : []),
    ...(guardrails.length > 0 ? [GUARDRAILS_OPENING, ...guardrails.map(guardrailTurn)] : []),
    WORK,
    `  # \`ralph run\` listens for <response>, \`ralph session\` for <promise>.
  - say: ${JSON.stringify(done)}
`,
    `# Whatever else is asked, as often as it is asked.
otherwise:
  say: ${JSON.stringify(done)}
`,
  ].join('\n');
}

const OPENING = `# What the model answers in a rehearsal of this project, for example:
#
#   ralph rehearse -- ralph run -p "Write a note." -m 3
#
# A request is answered by the first turn that was not played yet and whose \`match\`, if it has one, stands in what
# the agent was told last: the prompt, or what a tool brought. In a turn:
#
#   say      the model's words
#   run      a shell command, by whatever tool for it the agent has; a list runs one after the other
#   write    a file: { path: …, content: … }
#   times    how often it is played, once by default
#   fault    how the reply goes wrong: { status: 529 }, { cut: event }, { stall: before, forMs: 5000 }
`;

const COMMIT_MESSAGE = `  # What passes all guardrails is committed; the agent is asked for the message.
  - match: Provide a short imperative commit message
    times: 100
    say: Write a note
`;

const GUARDRAILS_OPENING = `  # The output of a guardrail that failed stands in the next prompt. Here the model would mend what it found.`;

const WORK = `  # The first iteration: some work, and the word that it is done.
  - say: I write a note.
    write: { path: rehearsal-note.txt, content: "The model was here.\\n" }
    run: cat rehearsal-note.txt
`;

function guardrailTurn(command: string): string {
  return `  - match: ${JSON.stringify(`Guardrail "${command}" failed`)}
    say: I mend what the guardrail found.
    run: echo "mended"
`;
}
