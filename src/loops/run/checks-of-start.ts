/** A loop that proves its work keeps the checks that it began with: an agent can write to the settings. Pure. */
import { RalphError } from '../../core/error.ts';
import { FREES_SETTINGS, freesSettings } from '../../core/proof/terms.ts';
import { quoteWords } from '../../core/text/quote-word.ts';
import type { Guardrail } from './guardrails.ts';
import type { RunRequest } from './request.ts';
import type { RunData, RunInputs } from './state.ts';

/** True until a person frees the settings with `--allow-edit`. */
export const keepsChecks = ({ proof }: Pick<RunRequest, 'proof'>): boolean =>
  proof !== undefined && !freesSettings(proof);

type Checks = Pick<RunInputs, 'guardrails'>;

/** Compares what is run and how it counts. How a failure is reported to the agent does not matter. */
export function isSameChecks({ guardrails: these }: Checks, { guardrails: those }: Checks): boolean {
  const asked = ({ command, check, timeoutMs, isWitness }: Guardrail) => [command, check, timeoutMs, isWitness];
  return JSON.stringify(these.map(asked)) === JSON.stringify(those.map(asked));
}

/** Keeps the checks that the base proof was made with, if the settings have others by now. */
export function withChecksOfStart(
  { request, inputs: before, proof }: Pick<RunData, 'request' | 'inputs' | 'proof'>,
  inputs: RunInputs,
): RunInputs {
  const isFree = proof.base === null || before === null || !keepsChecks(request);
  return isFree || isSameChecks(before, inputs) ? inputs : { ...inputs, guardrails: before.guardrails };
}

/** `change`: the flags given to `ralph resume`. `name`: the loop's short name, for the hint. */
export function refuseOtherChecks(
  { request, inputs: before, proof }: Pick<RunData, 'request' | 'inputs' | 'proof'>,
  now: Checks,
  { name, change }: { readonly name: string; readonly change: Changes },
): void {
  const { allowEdit = [], maximumIterations } = change;
  const isFree = proof.base === null || before === null || !keepsChecks(request) || freesSettings({ allowEdit });
  if (isFree || isSameChecks(before, now)) return;
  const limit = maximumIterations == null ? [] : ['-m', `${maximumIterations}`];
  const flags = [...limit, ...allowEdit.flatMap((path) => ['--allow-edit', path]), ...FREES_SETTINGS];
  const command = quoteWords(['ralph', 'resume', name, ...flags]);
  throw new RalphError(
    'OTHER_CHECKS',
    `the settings have other checks than the loop began with: ${differenceOf(before, now)}`,
    {
      hint: `Undo that change, or, if the work is to be proved by the checks as they are now: ${command}`,
    },
  );
}

interface Changes extends Partial<Pick<RunRequest, 'maximumIterations'>> {
  readonly allowEdit?: readonly string[];
}

function differenceOf(before: Checks, now: Checks): string {
  const [were, are] = [before, now].map(({ guardrails }) => guardrails.map(({ command }) => command).join(', '));
  if (were === are) return `${were}, with another kind, report, timeout or witness`;
  return `${are === '' ? 'none' : are} (it began with ${were === '' ? 'none' : were})`;
}
