/** Reads what people may edit while the loop runs: the settings and the prompt file. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { effectiveSettings, parseLayers, readTexts, type Settings } from '../../config/settings.ts';
import { digestOf } from '../../core/digest.ts';
import { parseDuration } from '../../core/duration.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Result } from '../../core/record.ts';
import type { RunInputs, RunRequest } from './rules.ts';

export type InputsReader = (known: string | null) => Extract<Result, { kind: 'inputs' }>;

/** Reads again each time, and works out again only what has changed. */
export function inputsReader(request: RunRequest, cwd: string): InputsReader {
  let last: { readonly texts: readonly unknown[]; readonly digest: string; readonly inputs: RunInputs } | null = null;
  return (known) => {
    const settings = readTexts(cwd);
    const prompt = readPrompt(request, cwd);
    const texts = [settings.base, settings.local, prompt];
    if (last === null || texts.some((text, index) => text !== last?.texts[index])) {
      const inputs = inputsFrom(effectiveSettings(parseLayers(settings)), request, prompt);
      const digest = digestOf(JSON.stringify(inputs));
      last = { texts, digest, inputs };
    }
    const { digest, inputs } = last;
    // Plain data by construction: strings, numbers, arrays and objects of them.
    return digest === known
      ? { kind: 'inputs', digest }
      : { kind: 'inputs', digest, inputs: inputs as unknown as Json };
  };
}

export function inputsFrom(settings: Settings, request: RunRequest, prompt: string): RunInputs {
  const { outputTruncateChars, includeIterationCountInPrompt, agent, guardrails, scm } = settings;
  return {
    prompt,
    maximumIterations: request.maximumIterations ?? settings.maximumIterations,
    completionResponse: request.completionResponse ?? settings.completionResponse,
    outputTruncateChars,
    includeIterationCountInPrompt,
    streamAgentOutput: request.streamAgentOutput ?? settings.streamAgentOutput,
    agent: { command: agent.command, flags: agent.flags },
    agentTimeoutMs: request.agentTimeoutMs ?? durationOf(agent.timeout),
    guardrails: guardrails.map(({ command, failAction, hint, timeout }) => ({
      command,
      failAction,
      hint: hint ?? null,
      timeoutMs: durationOf(timeout),
    })),
    scm: scm === undefined || scm.tasks.length === 0 ? null : scm,
    backoffUnitMs: settings.failureBackoffMs,
    display: { ...settings.display, color: settings.display.color ?? null },
  };
}

function durationOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}

export function readPrompt({ prompt, promptFile }: RunRequest, cwd: string): string {
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
