/** The tool that starts a loop: `ralph run --detach`, with the few options that are useful to a model. */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as z from 'zod/mini';
import { AGENTS } from '../../agents/index.ts';
import { RalphError } from '../../core/error.ts';
import { realPath } from '../../process/files.ts';
import { tool } from '../tool.ts';
import { background, dollars, flag } from './steer.ts';

const LONGEST_PROMPT = 100_000;
/** Cannot begin like a flag, nor contain a command line. */
const MODEL = /^[A-Za-z0-9][\w.:/@-]{0,99}$/;

export const startTool = tool({
  name: 'start_loop',
  title: 'Start a loop',
  description:
    "Start a loop in the background (ralph run): a coding agent works on the prompt, again and again, until the project's checks pass and it says that it is done. It uses the settings of the directory, runs unattended, and costs what its agent costs.",
  needs: 'steer',
  isDestructive: true,
  form: z.strictObject({
    prompt: z
      .string({ error: 'must be a text' })
      .check(
        z.minLength(1, { error: 'must not be empty' }),
        z.maxLength(LONGEST_PROMPT, { error: `must have at most ${LONGEST_PROMPT} characters` }),
        z.describe('What to do. ralph adds how to say that it is done.'),
      ),
    directory: z.optional(
      z
        .string({ error: 'must be a text' })
        .check(
          z.regex(/^[^\0]*$/, { error: 'must not hold a NUL character' }),
          z.describe("Absolute path of the project; this server's working directory unless given."),
        ),
    ),
    agent: z.optional(
      z
        .enum(
          AGENTS.map(({ name }) => name),
          { error: `must be one of ${AGENTS.map(({ name }) => name).join(', ')}` },
        )
        .check(z.describe("The settings', or the installed one, unless given.")),
    ),
    model: z.optional(
      z.string({ error: 'must be a text' }).check(z.regex(MODEL, { error: 'must be the name of a model' })),
    ),
    maxIterations: z.optional(
      z
        .int({ error: 'must be a whole number' })
        .check(z.minimum(1, { error: 'must be at least 1' }), z.maximum(1000, { error: 'must be at most 1000' })),
    ),
    maxCostUsd: dollars('End the loop when its agents have cost this much.'),
  }),
  async run({ prompt, directory, agent, model, maxIterations, maxCostUsd }, context) {
    const cwd = directory === undefined ? context.cwd : folderOf(directory);
    const words = [
      'run',
      ...flag('agent', agent),
      ...flag('model', model),
      ...flag('max-iterations', maxIterations),
      ...flag('max-cost', maxCostUsd),
    ];
    // The prompt goes to stdin: other users of the machine can see command lines, and a prompt could also name a file.
    return background(words, { cwd, input: prompt, what: 'The loop runs in the background' }, context);
  },
});

function folderOf(directory: string): string {
  const stat = isAbsolute(directory) ? statSync(directory, { throwIfNoEntry: false }) : undefined;
  if (stat?.isDirectory() === true) return realPath(directory);
  throw new RalphError('DIRECTORY', `directory: ${directory} is not the absolute path of a directory`);
}
