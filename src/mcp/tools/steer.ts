/** The tools that steer a loop: their commands go into its queue, with the client's name. */
import * as z from 'zod/mini';
import { outsideOfSessions } from '../../agents/command.ts';
import { rehearsalPrefix } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import type { Told } from '../../core/prompt/told.ts';
import { startInBackground } from '../../engine/start-in-background.ts';
import { type Found, foundLoop } from '../../views/found-loop.ts';
import { goOn, halt, LONGEST_TEXT, refuseSucceeded, type Steering, tell } from '../../views/steer.ts';
import { clientHints } from '../client-hints.ts';
import { LOOP, type Tool, type ToolContext, type ToolResult, tool } from '../tool.ts';

const LONG = 2000;
const MOST_SAID = 100_000;

const found = ({ store, cwd }: ToolContext, name: string): Promise<Found> => foundLoop(store, { name, cwd });

const steering = ({ store, root, from }: ToolContext): Steering => ({
  store,
  root,
  from,
  clock: (at) => new Date(at).toISOString(),
});

function said({ loop, short }: Found, lines: readonly string[], { show, isInside }: ToolContext): ToolResult {
  // An agent cannot continue its own loop; the sentences keep the command for a person.
  const told = isInside ? lines : lines.map(clientHints);
  return { data: { loop: short, said: told.map((line) => show(line, LONG)) }, loop: loop.id };
}

const TEXT = z
  .string({ error: 'must be a text' })
  .check(
    z.minLength(1, { error: 'must not be empty' }),
    z.maxLength(LONGEST_TEXT, { error: `must have at most ${LONGEST_TEXT} characters; write more into a file` }),
  );

function messageTool(as: Told['as'], about: Pick<Tool, 'name' | 'title' | 'description'>): Tool {
  return tool({
    ...about,
    needs: 'steer',
    form: z.strictObject({ loop: LOOP, text: TEXT }),
    async run({ loop: name, text }, context) {
      const one = await found(context, name);
      return said(one, await tell(as, one, text, steering(context)), context);
    },
  });
}

export const tellTool = messageTool('tell', {
  name: 'tell_loop',
  title: 'Send a message to a loop',
  description:
    "Send a message to the agent of a loop: it becomes part of the loop's next prompt, with your name as the sender.",
});

export const answerTool = messageTool('answer', {
  name: 'answer_loop',
  title: 'Answer a loop',
  description:
    'Answer a loop that asks something (state "needs-you"): it continues with the answer. Do not decide anything that a person should decide; ask them first.',
});

function haltTool(command: 'pause' | 'stop', about: Pick<Tool, 'name' | 'title' | 'description'>): Tool {
  return tool({
    ...about,
    needs: 'yield',
    isDestructive: true,
    isIdempotent: true,
    form: z.strictObject({
      loop: LOOP,
      now: z.optional(
        z
          .boolean({ error: 'must be true or false' })
          .check(z.describe('End its current work, such as its agent, immediately.')),
      ),
    }),
    async run({ loop: name, now = false }, context) {
      if (now && context.isInside) {
        const hint = 'Leave out "now": it acts after this iteration.';
        throw new RalphError('OWN_AGENT', 'an agent does not end itself', { hint });
      }
      const one = await found(context, name);
      return said(one, await halt(command, one, { now }, steering(context)), context);
    },
  });
}

export const pauseTool = haltTool('pause', {
  name: 'pause_loop',
  title: 'Pause a loop',
  description: 'Pause a loop after its current iteration; resume_loop continues it.',
});

export const stopTool = haltTool('stop', {
  name: 'stop_loop',
  title: 'Stop a loop',
  description: 'Stop a loop after its current iteration. Most kinds of loops can be resumed later.',
});

const count = (what: string) =>
  z.optional(
    z.int({ error: 'must be a whole number' }).check(z.minimum(1, { error: 'must be 1 at least' }), z.describe(what)),
  );

export const dollars = (what: string) =>
  z.optional(z.number({ error: 'must be a number' }).check(z.positive({ error: 'must be above 0' }), z.describe(what)));

export const resumeTool = tool({
  name: 'resume_loop',
  title: 'Resume a loop',
  description:
    'Continue a loop that is paused, or that was stopped or interrupted: then it runs in the background. One that has used up its limit of iterations or its budget needs a higher one, for the whole loop.',
  needs: 'steer',
  form: z.strictObject({
    loop: LOOP,
    maxIterations: count('How many iterations it may make.'),
    maxCostUsd: dollars('What its agents may cost.'),
    maxCostPerStoryUsd: dollars('What each story of a list may cost.'),
    maxTokens: count('How many tokens its agents may use.'),
    maxTime: z.optional(
      z
        .string({ error: 'must be a text' })
        .check(
          z.regex(/^[\w.]{1,20}$/, { error: 'must be a duration such as 2h30m' }),
          z.describe('How long its agents may work, such as 2h30m.'),
        ),
    ),
  }),
  async run({ loop: name, maxIterations, maxCostUsd, maxCostPerStoryUsd, maxTokens, maxTime }, context) {
    const one = await found(context, name);
    const { loop, short } = one;
    refuseSucceeded(one);
    const raised = [
      ...flag('max-iterations', maxIterations),
      ...flag('max-cost', maxCostUsd),
      ...flag('max-cost-per-story', maxCostPerStoryUsd),
      ...flag('max-tokens', maxTokens),
      ...flag('max-time', maxTime),
    ];
    if (loop.ending === null && loop.supervisor !== null) {
      if (raised.length > 0) throw keepsItsLimits(short);
      return said(one, await goOn(one, steering(context)), context);
    }
    const words = ['resume', loop.id, ...raised];
    return background(words, { cwd: context.cwd, what: `Loop ${short} continues in the background` }, context);
  },
});

/** As one word, so that the value is never taken for another flag. */
export const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}=${value}`];

function keepsItsLimits(short: string): RalphError {
  const hint = 'Resume it without them.';
  return new RalphError('RUNNING', `loop ${short} is still there, with the limits that it began with`, { hint });
}

/** Runs a command like a person with `--detach` would: what the command refuses is refused here. */
export async function background(
  words: readonly string[],
  { cwd, input, what }: { readonly cwd: string; readonly input?: string; readonly what: string },
  context: ToolContext,
): Promise<ToolResult> {
  const { root, variables, self, signal: cancel, show, store } = context;
  if (rehearsalPrefix(variables) !== '') {
    throw new RalphError('DETACH', 'a rehearsal cannot leave a loop running in the background');
  }
  const env = outsideOfSessions(variables);
  const argv = [...self, ...words] as const;
  const started = await startInBackground({ root, argv, cwd, env, cancel, ...(input === undefined ? {} : { input }) });
  if (started.is === 'running') {
    const { short } = await foundLoop(store, { name: started.loop, cwd });
    return { data: { loop: short, id: started.loop, said: [`${what} (pid ${started.pid}).`] }, loop: started.loop };
  }
  // The reason of a refusal is at the end.
  const lines = show(started.said, MOST_SAID).slice(-LONG).trim();
  // A paused loop has continued in the meantime.
  if (started.code === 0) return { data: { said: lines.split('\n') } };
  throw new RalphError(
    'NOT_STARTED',
    lines === '' ? `ralph ended with ${started.code}` : lines.replace(/^error: /m, ''),
  );
}
