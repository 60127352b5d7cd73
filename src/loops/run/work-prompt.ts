/** The prompt of an iteration: the task, what ralph has to add to it, and what failed before. Pure. */
import { progressSections } from '../../core/prompt/pivot.ts';
import { type Feedback, promptWithCount, promptWithFeedback } from '../../core/prompt/prompt.ts';
import { findingsSection } from '../../core/review/review-prompt.ts';
import type { LoopState } from '../../core/state.ts';
import { baselineSection, excusedOf } from './baseline.ts';
import type { RunData, RunInputs } from './state.ts';

interface Around {
  readonly iteration?: number;
  readonly feedback?: readonly Feedback[];
  /** Placed between the task and the feedback. */
  readonly sections?: readonly string[];
  /** Guardrails that need not pass. */
  readonly excused?: readonly string[];
}

export function promptOfWork({ iteration, data, progress }: LoopState<RunData>, inputs: RunInputs): string {
  const { request, baseline, feedback, reviews } = data;
  const excused = excusedOf(data);
  const isExcused = request.baseline === 'excuse';
  // In later iterations, the feedback names what fails, with its output.
  const isTold = inputs.asksForResponse === true && (isExcused || iteration === 1);
  const sections = [
    ...(isTold ? baselineSection(isExcused ? excused : baseline.red, isExcused) : []),
    ...progressSections(progress, request.carryNotes === true),
    ...findingsSection(reviews),
  ];
  return workPrompt(inputs, { iteration, feedback, sections, excused: excused.map(({ command }) => command) });
}

/** Without `around`, the prompt of the first iteration. */
export function workPrompt(inputs: RunInputs, around: Around = {}): string {
  const { iteration = 1, feedback = [], sections = [], excused = [] } = around;
  const base = sections.length === 0 ? inputs.prompt : [inputs.prompt.trimEnd(), ...sections].join('\n\n');
  const whole = withInstruction(promptWithFeedback(base, feedback), inputs, excused);
  return inputs.includeIterationCountInPrompt ? promptWithCount(whole, iteration, inputs.maximumIterations) : whole;
}

/** A prompt that mentions the tag needs no instruction about it. */
export const mentionsResponse = (prompt: string): boolean => prompt.toLowerCase().includes('<response>');

function withInstruction(prompt: string, inputs: RunInputs, excused: readonly string[]): string {
  const { asksForResponse, completionResponse, guardrails } = inputs;
  if (asksForResponse !== true || mentionsResponse(inputs.prompt)) return prompt;
  const counted = guardrails.map(({ command }) => command).filter((command) => !excused.includes(command));
  const checks = counted.join('; ');
  const passing = checks === '' ? '' : ` and the checks pass (${checks})`;
  const when = `When everything is done${passing}, answer <response>${completionResponse}</response>.`;
  const blocked =
    'If you cannot continue without a person, answer <response>BLOCKED: your question</response> instead.';
  return `${prompt.trimEnd()}\n\n${when} As long as anything is left to do, do not write this tag. ${blocked}`;
}

/** Why the agent cannot continue; null if it did not say so, or was not told how to. */
export function blockedBy(response: string | null, { prompt, asksForResponse }: RunInputs): string | null {
  const isTold = prompt.includes('BLOCKED:') || (asksForResponse === true && !mentionsResponse(prompt));
  const [, reason] = (isTold && /^\s*BLOCKED:\s*(.*\S)/s.exec(response ?? '')) || [];
  return reason?.replaceAll(/\s+/g, ' ').trim() ?? null;
}
