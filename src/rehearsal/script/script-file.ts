/** The default script, the file in which a project keeps its own, and how such a file is read. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import type * as z from 'zod';
import { CHECK_KINDS } from '../../checks/index.ts';
import { frame, jsonError, placeName } from '../../config/json-error.ts';
import { effectiveSettings, readLayers } from '../../config/settings.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import { guardrailOf } from '../../loops/run/inputs.ts';
import { type Script, scriptJsonSchema, scriptSchema } from './script.ts';

export const STARTER_FILE = '.ralph/rehearsal.yaml';

export function builtInScript(cwd: string): Script {
  return parseScript(starterText(projectAt(cwd)), 'the built-in script.yaml');
}

/** The schema for completion in editors; a comment in the first line of the script refers to it. */
const SCHEMA_FILE = 'rehearsal-script.schema.json';

/** Never overwrites a script. */
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
    if (code === 'EEXIST') throw refuse(`${path} already exists.`, 'Change it, or name another file with --script.');
    if (code === undefined) throw error;
    throw refuse(`${path} cannot be written (${code}).`, 'Name another file with --script.');
  }
}

/** Without any settings, uses what `ralph session` and agents on their own expect. */
function projectAt(cwd: string): StarterProject {
  const layers = readLayers(cwd);
  if (layers.base === null && layers.local === null) {
    return { completionResponse: 'DONE', guardrails: [], commits: false };
  }
  const { completionResponse, guardrails, scm } = effectiveSettings(layers, CHECK_KINDS);
  const labels = new Set(guardrails.map((guardrail) => guardrailOf(guardrail).command));
  return { completionResponse, guardrails: [...labels], commits: scm?.tasks.includes('commit') ?? false };
}

function refuse(message: string, hint: string): RalphError {
  return new RalphError('rehearsal-starter', message, { hint });
}

/** What the starter script takes from the project: its completion response, guardrails and commits. */
export interface StarterProject {
  readonly completionResponse: string;
  readonly guardrails: readonly string[];
  readonly commits: boolean;
}

/**
 * Returns YAML, in which JSON strings are valid. Playing it writes one file, in the work tree, where a sandboxed agent
 * can write as well; and it ends a loop even if a guardrail keeps failing.
 */
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
# A request is answered by the first turn that was not played yet and whose \`match\`, if it has one, is in the last
# message to the model: the prompt, or the output of a tool. In a turn:
#
#   say      the model's words
#   run      a shell command, with whatever shell tool the agent has; the commands of a list run one after the other
#   write    a file: { path: …, content: … }
#   times    how often it is played, once by default
#   fault    how the reply goes wrong: { status: 529 }, { cut: event }, { stall: before, forMs: 5000 }
`;

const COMMIT_MESSAGE = `  # Work that passes all guardrails is committed; ralph asks the agent for the message.
  - match: Provide a short imperative commit message
    times: 100
    say: Write a note
`;

const GUARDRAILS_OPENING = `  # The output of a failed guardrail is in the next prompt. Here the model would fix the problem.`;

const WORK = `  # The first iteration: some work, and the word that it is done.
  - say: I write a note.
    write: { path: rehearsal-note.txt, content: "The model was here.\\n" }
    run: cat rehearsal-note.txt
`;

function guardrailTurn(command: string): string {
  return `  - match: ${JSON.stringify(`Guardrail "${command}" failed`)}
    say: I fix what the guardrail found.
    run: echo "fixed"
`;
}

/** Reads a script from JSON or YAML text; `source` names it in errors, and its extension decides the format. */
export function parseScript(text: string, source: string): Script {
  const isYaml = /\.ya?ml$/i.test(source) || (!/\.json$/i.test(source) && !text.trimStart().startsWith('{'));
  let value: unknown;
  try {
    value = isYaml ? parseYaml(text, { logLevel: 'error' }) : JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw notAScript((isYaml ? yamlError(error, text, source) : jsonError(text, source)) ?? `${source}: ${why}`);
  }
  return checkScript(value, source);
}

export function checkScript(value: unknown, source: string): Script {
  const checked = scriptSchema.safeParse(value);
  if (checked.success) return checked.data;
  throw notAScript(`${source}: ${describeIssue(checked.error)}`);
}

/** Null for an error without a position. */
function yamlError(error: unknown, text: string, source: string): string | null {
  if (!(error instanceof YAMLParseError)) return null;
  const [at] = error.pos;
  // The text after the first sentence shows the position in YAML's own format.
  const [sentence = ''] = error.message.split(/ at line \d+/);
  return [`${placeName(text, at, source)}: ${sentence}`, ...frame(text, at)].join('\n');
}

function notAScript(message: string): RalphError {
  return new RalphError('rehearsal-script', message, {
    hint: 'A script looks like {"turns": [{"run": "npm test"}, {"say": "Done."}]}, in JSON or YAML.',
  });
}

type Issue = z.core.$ZodIssue;

/** Says what is wrong and where: `turns[1].tool.name: Invalid input`. Only the first issue: it often causes others. */
function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return 'is not a script';
  const { path, message } = closest(issue);
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `${place.replace(/^\./, '') || 'the script'}: ${message}`;
}

function closest(issue: Issue): Pick<Issue, 'path' | 'message'> {
  if (issue.code === 'unrecognized_keys') {
    // An unknown key is reported at the object that holds it; people look for the key.
    return { path: [...issue.path, ...issue.keys.slice(0, 1)], message: issue.message };
  }
  if (issue.code !== 'invalid_union') return issue;
  // "Invalid input" does not help: the allowed shape that fits best says what is missing.
  const [nearest] = [...issue.errors].sort((one, other) => strangeness(one) - strangeness(other));
  const inner = nearest?.[0];
  if (!inner) return issue;
  const finding = closest(inner);
  return { ...finding, path: [...issue.path, ...finding.path] };
}

/** How far a value is from a shape: of another type, with unknown keys, or wrong in some parts. */
function strangeness(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === 'unrecognized_keys') return sum + 100 * issue.keys.length;
    return sum + (issue.path.length === 0 && issue.code === 'invalid_type' ? 1000 : 1);
  }, 0);
}
