/** Reads a script from a file's text, or says what is wrong in it. */
import { parse as parseYaml } from 'yaml';
import type * as z from 'zod';
import { RalphError } from '../../core/error.ts';
import { type Script, scriptSchema } from './script.ts';

/** Reads a script from JSON or YAML text; `source` names it in errors, and its ending tells which of the two it is. */
export function parseScript(text: string, source: string): Script {
  return checkScript(readText(text, source), source);
}

function readText(text: string, source: string): unknown {
  const isYaml = /\.ya?ml$/i.test(source) || (!/\.json$/i.test(source) && !text.trimStart().startsWith('{'));
  try {
    return isYaml ? parseYaml(text, { logLevel: 'error' }) : JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse(`${source} is not ${isYaml ? 'YAML' : 'JSON'}: ${why}`);
  }
}

export function checkScript(value: unknown, source: string): Script {
  const checked = scriptSchema.safeParse(value);
  if (checked.success) return checked.data;
  throw refuse(`${source}: ${describeIssue(checked.error)}`);
}

function refuse(message: string): RalphError {
  return new RalphError('rehearsal-script', message, {
    hint: 'A script looks like {"turns": [{"run": "npm test"}, {"say": "Done."}]}, in JSON or YAML.',
  });
}

type Issue = z.core.$ZodIssue;

/** Says what is wrong, and where: `turns[1].tool.name: Invalid input`. Only the first; the others are often its consequences. */
function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return 'is not a script';
  const { path, message } = closest(issue);
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `${place.replace(/^\./, '') || 'the script'}: ${message}`;
}

interface Finding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function closest(issue: Issue): Finding {
  if (issue.code === 'unrecognized_keys') {
    // An unknown key is reported at the object that holds it; people look for the key.
    return { path: [...issue.path, ...issue.keys.slice(0, 1)], message: issue.message };
  }
  if (issue.code !== 'invalid_union') return issue;
  // "Invalid input" does not help: of the shapes that are allowed, the one that was nearly met says what is missing.
  const [nearest] = [...issue.errors].sort((one, other) => strangeness(one) - strangeness(other));
  const inner = nearest?.[0];
  if (!inner) return issue;
  const finding = closest(inner);
  return { ...finding, path: [...issue.path, ...finding.path] };
}

/** How far a value is from a shape: of another type, with foreign keys, or wrong in some of its parts. */
function strangeness(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === 'unrecognized_keys') return sum + 100 * issue.keys.length;
    return sum + (issue.path.length === 0 && issue.code === 'invalid_type' ? 1000 : 1);
  }, 0);
}
