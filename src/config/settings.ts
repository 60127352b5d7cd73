/** `.ralph/settings.json`: its shape, its defaults, and errors that name the path of what is wrong. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { errnoOf, RalphError } from '../core/error.ts';
import { shellWords } from './shell-words.ts';

export const SETTINGS_FILE = join('.ralph', 'settings.json');

const failAction = z.preprocess(
  (value) => (typeof value === 'string' ? value.toUpperCase() : value),
  z.enum(['APPEND', 'PREPEND', 'REPLACE']),
);

const schema = z.strictObject({
  maximumIterations: z.int().positive().default(10),
  completionResponse: z.string().min(1).default('DONE'),
  outputTruncateChars: z.int().positive().default(5000),
  streamAgentOutput: z.boolean().default(true),
  includeIterationCountInPrompt: z.boolean().default(false),
  /** The pause after a first failed iteration; it doubles with every further one in a row. */
  failureBackoffMs: z.int().nonnegative().default(1000),
  agent: z.strictObject({ command: z.string().min(1), flags: z.array(z.string()).default([]) }),
  guardrails: z
    .array(z.strictObject({ command: z.string().min(1), failAction, hint: z.string().optional() }))
    .default([]),
  scm: z.strictObject({ command: z.string().min(1), tasks: z.array(z.string().min(1)).default([]) }).optional(),
});

export type Settings = z.infer<typeof schema>;

/** Reads the settings of a project; a missing file means defaults, and then there is no agent. */
export function readSettings(cwd: string): Settings {
  const path = join(cwd, SETTINGS_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw configuration(
      'agent.command must be configured in settings file',
      `Write ${SETTINGS_FILE} with {"agent": {"command": "claude"}}.`,
    );
  }
  return parseSettings(text);
}

export function parseSettings(text: string): Settings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw configuration(
      `failed to load settings: ${error instanceof Error ? error.message : String(error)}`,
      `Mend ${SETTINGS_FILE}.`,
    );
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'settings'}: ${issue.message}`);
    throw configuration(`failed to load settings: ${faults.join('; ')}`, `Mend ${SETTINGS_FILE}.`);
  }
  return { ...parsed.data, agent: { ...parsed.data.agent, flags: parsed.data.agent.flags.flatMap(shellWords) } };
}

function configuration(message: string, hint: string): RalphError {
  return new RalphError('CONFIGURATION', message, { hint, exitCode: 2 });
}
