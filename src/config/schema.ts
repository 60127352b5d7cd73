/** The schema of `.ralph/settings.json`, with its error messages. The shipped JSON Schema is generated from it. */
// zod/mini: with full zod, reading the settings took half of a loop's start-up time.
import * as z from 'zod/mini';
import { type AskedCheck, type CheckForm, type CheckKey, COMMAND } from '../core/check.ts';
import { isFields } from '../core/text/json.ts';
import {
  duration,
  expected,
  filledText,
  flag,
  group,
  list,
  meantOf,
  milliseconds,
  paths,
  positiveInteger,
  text,
  whole,
} from './forms.ts';
import { editorNotify, projectNotify } from './notify-schema.ts';

const FAIL_ACTIONS = ['APPEND', 'PREPEND', 'REPLACE'] as const;

type FailAction = (typeof FAIL_ACTIONS)[number];

const failAction = z
  .pipe(
    z.custom<string>(
      (value) => typeof value === 'string' && FAIL_ACTIONS.some((action) => action === value.toUpperCase()),
      { error: expected('APPEND, PREPEND, or REPLACE') },
    ),
    z.transform((value) => value.toUpperCase() as FailAction),
  )
  .check(
    z.meta({
      description: 'Where the failure goes in the next prompt: after it, before it, or instead of it.',
      enum: FAIL_ACTIONS,
    }),
  );

const agent = group({
  command: filledText('The program to run: claude, or any other command-line agent.'),
  flags: z._default(list(text('A flag; one with spaces is split the way a shell would.'), 'Flags for the agent.'), []),
  timeout: z.optional(duration('End an agent that runs longer than this, such as "30m".')),
});

/** The keys that all guardrails have, whatever the kind of their check. */
const ofAnyKind = {
  failAction,
  hint: z.optional(text('Guidance for the agent when the guardrail fails; never truncated.')),
  timeout: z.optional(duration('End the guardrail after this long, such as "5m"; that counts as a failure.')),
  witness: z.optional(flag('With a proof: the guardrail must fail before the work begins.')),
};

const KEYS: Readonly<Record<CheckKey['is'], (what: string) => z.ZodMiniType>> = {
  text: filledText,
  number: (what) => whole(what, 'a whole number'),
  flag,
  texts: (what) => list(filledText('An item.'), what),
};

/** A guardrail with a check of one kind. A command does not need to name its kind. */
function guardrailForm({ kind, keys }: CheckForm) {
  const own = Object.entries(keys).map(([name, { is, what, optional }]) => {
    return [name, optional === true ? z.optional(KEYS[is](what)) : KEYS[is](what)] as const;
  });
  const named = kind === COMMAND ? {} : { kind: z.literal(kind).check(z.describe('The kind of the check.')) };
  return group({ ...named, ...Object.fromEntries(own), ...ofAnyKind });
}

/** With the keys of its kind as well. */
type GuardrailSettings = z.infer<z.ZodMiniObject<typeof ofAnyKind>> & AskedCheck['given'] & { readonly kind?: string };

/** Parses each guardrail by the schema of its own kind, so that errors are about that kind. */
function guardrailOf(kinds: readonly CheckForm[]) {
  const names = kinds.map(({ kind }) => kind);
  return z.transform((input: unknown, { issues }): GuardrailSettings => {
    const { kind = COMMAND, ...fields } = isFields(input) ? input : {};
    const found = kinds.find((one) => one.kind === kind);
    if (found === undefined) {
      const known = names.map((name) => JSON.stringify(name)).join(' or ');
      const message = `${expected(known)({ input: kind })}${meantOf(String(kind), names)}`;
      issues.push({ code: 'custom', path: ['kind'], input, message });
      return z.NEVER;
    }
    const parsed = guardrailForm(found).safeParse(kind === COMMAND && isFields(input) ? fields : input);
    // The paths of these issues are relative to here, like all others that are found while it is parsed.
    if (!parsed.success) issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
    return parsed.data as GuardrailSettings;
  });
}

const scm = group({
  command: z._default(text('The program to publish with, such as git.'), ''),
  tasks: z._default(
    list(
      filledText('A subcommand, such as commit or push.'),
      'What to run when all guardrails pass, such as commit and push.',
    ),
    [],
  ),
  stage: z._default(
    z
      .enum(['tracked', 'all'], { error: expected('"tracked" or "all"') })
      .check(z.describe('What a commit contains: changes to tracked files only, or new files as well.')),
    'tracked',
  ),
  message: z._default(
    z
      .enum(['agent', 'template'], { error: expected('"agent" or "template"') })
      .check(
        z.describe(
          'Who writes commit messages: the agent, in an extra call for each commit, or ralph, from the prompt and the iteration.',
        ),
      ),
    'agent',
  ),
}).check(
  z.refine(({ command, tasks }) => tasks.length === 0 || command !== '', {
    path: ['command'],
    error: 'must be configured when scm.tasks is non-empty',
  }),
);

const display = group({
  emoji: z._default(flag('Show emoji instead of plain text markers.'), true),
  color: z.optional(flag('Show colour; by default, only if the terminal supports it.')),
  timestamps: z._default(flag('Start each line with [HH:MM:SS].'), false),
  maxOutputLines: z._default(positiveInteger("How many lines of a tool's output to show."), 3),
  maxOutputChars: z._default(positiveInteger("How many characters of each line of a tool's output to show."), 120),
});

const sandbox = group({
  kind: z.optional(
    z
      .enum(['none', 'os', 'docker', 'auto'], { error: expected('"none", "os", "docker" or "auto"') })
      .check(
        z.describe(
          "Where the loop runs: without a sandbox, in the operating system's sandbox, in a Docker sandbox, or in the strongest one available.",
        ),
      ),
  ),
  allowHosts: z.optional(
    list(filledText('A host, such as *.example.com or localhost:8080.'), 'More hosts that the agent can reach.'),
  ),
  allowWrite: paths('More paths that the agent can write to.'),
  denyWrite: paths('Paths that the agent cannot write to, such as the tests.'),
  denyRead: paths('Paths that are hidden from the agent.'),
  settleMs: z.optional(
    milliseconds('How long to wait for the files of a run to come out of Docker, in milliseconds (default: 3000).'),
  ),
});

/** If it is present, even empty, the agent's claims are proved. */
const proof = group({
  setup: z.optional(filledText('A shell command that prepares a fresh clone, such as "npm ci"; detected by default.')),
  include: z.optional(list(filledText('A .gitignore pattern.'), 'Ignored files that the checks need.')),
  pin: z.optional(list(filledText('A path or pathspec.'), 'More files that decide whether the checks pass.')),
  allowEdit: z.optional(
    list(filledText('A path or pathspec.'), 'Tests, and files that control them, that the agent may change.'),
  ),
  acceptFlaky: z.optional(flag('Count a check that fails and then passes on the same files as passed.')),
});

const settingsWith = <Guardrail extends z.ZodMiniType, Notify extends z.ZodMiniType>(
  guardrail: Guardrail,
  notify: Notify,
) =>
  group({
    $schema: z.optional(text('The JSON Schema of this file, for editors.')),
    maximumIterations: z._default(positiveInteger('The maximum number of iterations.'), 10),
    completionResponse: z._default(filledText('What the agent must say in <response> tags to end the loop.'), 'DONE'),
    outputTruncateChars: z._default(
      positiveInteger("How many characters of a failed guardrail's output go into the prompt."),
      5000,
    ),
    streamAgentOutput: z._default(flag('Show what the agent is doing.'), true),
    includeIterationCountInPrompt: z._default(
      flag('Start each prompt with the iteration number and how many remain.'),
      false,
    ),
    failureBackoffMs: z._default(
      milliseconds(
        'The pause after a failed iteration, in milliseconds; it doubles with every further failure in a row.',
      ),
      1000,
    ),
    prices: z.optional(flag('Set to false to track no costs, neither estimated nor reported by the agent.')),
    agent,
    guardrails: z._default(list(guardrail, 'Commands that must pass before the work counts.'), []),
    scm: z.optional(scm),
    sandbox: z.optional(sandbox),
    proof: z.optional(proof),
    notify: z.optional(notify),
    display: z.prefault(display, {}),
  });

/** Accepts only the given kinds of checks. */
export const settingsSchema = (kinds: readonly CheckForm[]) => settingsWith(guardrailOf(kinds), projectNotify);

/** The same for editors, which need every form that a guardrail can have. */
export function editorSchema(kinds: readonly CheckForm[]) {
  const [first, ...others] = kinds.map(guardrailForm);
  const guardrail = first === undefined ? z.never() : others.length === 0 ? first : z.union([first, ...others]);
  return settingsWith(guardrail, editorNotify);
}

export type Settings = z.infer<ReturnType<typeof settingsSchema>>;
