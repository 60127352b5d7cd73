/** What the scripted agent does for a prompt: the first reply whose `match` stands in it. */
import * as z from 'zod';
import { RalphError } from '../../core/error.ts';

const step = z.union([
  z.strictObject({ say: z.string() }),
  z.strictObject({ write: z.strictObject({ path: z.string(), content: z.string() }) }),
  z.strictObject({ run: z.string() }),
]);

const replies = z.strictObject({
  /** How long to take over each step, so that a person can follow. */
  paceMs: z.number().nonnegative().default(0),
  replies: z.array(z.strictObject({ match: z.string().default(''), steps: z.array(step) })).min(1),
});

export type Step = z.infer<typeof step>;
export type Replies = z.infer<typeof replies>;

export function parseReplies(text: string, path: string): Replies {
  const parsed = replies.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new RalphError('SCRIPT', `${path} is not a script for the scripted agent: ${faults}`, { exitCode: 2 });
}

export function replyTo(prompt: string, script: Replies): readonly Step[] {
  return script.replies.find(({ match }) => prompt.includes(match))?.steps ?? [];
}
