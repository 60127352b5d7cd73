/** Reads what people may edit while the loop runs: the settings and the prompt file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSettings, type Settings } from '../../config/settings.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Result } from '../../core/record.ts';
import type { RunInputs, RunRequest } from './rules.ts';

export function readInputs(
  request: RunRequest,
  cwd: string,
  known: string | null,
): Extract<Result, { kind: 'inputs' }> {
  const inputs = inputsFrom(readSettings(cwd), request, readPrompt(request, cwd));
  const digest = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 16);
  // Plain data by construction: strings, numbers, arrays and objects of them.
  return digest === known ? { kind: 'inputs', digest } : { kind: 'inputs', digest, inputs: inputs as unknown as Json };
}

function inputsFrom(settings: Settings, request: RunRequest, prompt: string): RunInputs {
  const { completionResponse, outputTruncateChars, includeIterationCountInPrompt, agent, guardrails, scm } = settings;
  return {
    prompt,
    maximumIterations: request.maximumIterations ?? settings.maximumIterations,
    completionResponse,
    outputTruncateChars,
    includeIterationCountInPrompt,
    agent,
    guardrails: guardrails.map(({ command, failAction, hint }) => ({ command, failAction, hint: hint ?? null })),
    scm: scm ?? null,
    backoffUnitMs: settings.failureBackoffMs,
  };
}

function readPrompt({ prompt, promptFile }: RunRequest, cwd: string): string {
  if (promptFile === null) return prompt ?? '';
  try {
    return readFileSync(resolve(cwd, promptFile), 'utf8');
  } catch (error) {
    const problem = errnoOf(error) === 'ENOENT' ? 'prompt file not found' : 'cannot access prompt file';
    throw new RalphError('PROMPT_FILE', `${problem}: ${promptFile}`, {
      hint: 'Check the path given with --prompt-file.',
      exitCode: 2,
    });
  }
}
