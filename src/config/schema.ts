/** The shape of `.ralph/settings.json`, with the words for what is wrong. The shipped JSON Schema is made from it. */
import * as z from 'zod';
import { parseDuration } from '../core/duration.ts';

const positiveInteger = (what: string) =>
  z
    .int({ error: ({ input }) => `must be a positive integer, got ${shown(input)}` })
    .positive({ error: ({ input }) => `must be a positive integer, got ${shown(input)}` })
    .describe(what);

const text = (what: string) =>
  z.string({ error: ({ input }) => `must be a string, got ${shown(input)}` }).describe(what);

const filledText = (what: string) => text(what).min(1, { error: 'must not be empty' });

const flag = (what: string) =>
  z.boolean({ error: ({ input }) => `must be true or false, got ${shown(input)}` }).describe(what);

const list = <Item extends z.ZodType>(item: Item, what: string) =>
  z.array(item, { error: ({ input }) => `must be a list, got ${shown(input)}` }).describe(what);

const duration = (what: string) =>
  text(what).refine((value) => parseDuration(value) !== null, {
    error: ({ input }) => `must be a duration such as "90s" or "10m", got ${shown(input)}`,
  });

const FAIL_ACTIONS = ['APPEND', 'PREPEND', 'REPLACE'] as const;

type FailAction = (typeof FAIL_ACTIONS)[number];

const failAction = z
  .custom<string>(
    (value) => typeof value === 'string' && FAIL_ACTIONS.some((action) => action === value.toUpperCase()),
    {
      error: ({ input }) => `must be APPEND, PREPEND, or REPLACE, got ${shown(input)}`,
    },
  )
  .transform((value) => value.toUpperCase() as FailAction)
  .meta({
    description: 'How the failure enters the next prompt: behind it, before it, or instead of it.',
    enum: FAIL_ACTIONS,
  });

const agent = z.strictObject({
  command: filledText('The program to run: claude, or any other command-line agent.'),
  flags: list(text('A flag; one with spaces is split as a shell would.'), 'Flags for the agent.').default([]),
  timeout: duration('End an agent that runs longer than this, such as "30m".').optional(),
});

const guardrail = z.strictObject({
  command: filledText('A shell command; exit code 0 means that the work is good.'),
  failAction,
  hint: text('Guidance for the agent when it fails; never truncated.').optional(),
  timeout: duration('End it after this long; that counts as a failure.').optional(),
});

const scm = z
  .strictObject({
    command: text('The program, such as git.').default(''),
    tasks: list(filledText('commit, push, or any other subcommand.'), 'What to run when the guardrails pass.').default(
      [],
    ),
    stage: z
      .enum(['tracked', 'all'], { error: ({ input }) => `must be "tracked" or "all", got ${shown(input)}` })
      .default('tracked')
      .describe('What a commit holds: changes to tracked files only, or new files too.'),
  })
  .refine(({ command, tasks }) => tasks.length === 0 || command !== '', {
    path: ['command'],
    error: 'must be configured when scm.tasks is non-empty',
  });

const display = z.strictObject({
  emoji: flag('Emoji, or plain text markers.').default(true),
  color: flag('Colour; by default where the terminal shows it.').optional(),
  timestamps: flag('Begin each line with [HH:MM:SS].').default(false),
  maxOutputLines: positiveInteger("How many lines of a tool's output are shown.").default(3),
  maxOutputChars: positiveInteger("How many characters of each line of a tool's output are shown.").default(120),
});

export const settingsSchema = z.strictObject({
  $schema: text('Where editors find this schema.').optional(),
  maximumIterations: positiveInteger('How often the agent is started at most.').default(10),
  completionResponse: filledText('What the agent must say in <response> tags to end the loop.').default('DONE'),
  outputTruncateChars: positiveInteger("How many characters of a guardrail's output are fed back.").default(5000),
  streamAgentOutput: flag('Show what the agent does while it does it.').default(true),
  includeIterationCountInPrompt: flag('Begin each prompt with the iteration and how many remain.').default(false),
  failureBackoffMs: z
    .int({ error: ({ input }) => `must be a whole number of milliseconds, got ${shown(input)}` })
    .nonnegative()
    .default(1000)
    .describe('The pause after a failed iteration, in milliseconds; it doubles with every further one in a row.'),
  agent,
  guardrails: list(guardrail, 'Commands that must pass before the work counts.').default([]),
  scm: scm.optional(),
  display: display.prefault({}),
});

export type Settings = z.infer<typeof settingsSchema>;

/** For editors: what a settings file may hold. */
export function settingsJsonSchema(): object {
  return z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing');
}
