/** Says what is wrong in a script, and where: `turns[1].tool.name: Invalid input`. */
import type * as z from 'zod';

type Issue = z.core.$ZodIssue;

/** Reports the first thing that is wrong; the others are often its consequences. */
export function describeIssue(error: z.ZodError): string {
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
  // "Invalid input" helps nobody: of the shapes that are allowed, the one that was nearly met says what is missing.
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
