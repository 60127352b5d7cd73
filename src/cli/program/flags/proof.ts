/** The flags about proofs of what agents call done. */
import type { Command } from 'commander';
import { defined } from '../../../core/defined.ts';
import type { ProofChange, ProveRequest } from '../../../core/proof/terms.ts';
import { collect } from '../values.ts';

/** Those that `ralph resume` takes, too. */
export interface ProofChangeFlags {
  readonly allowEdit?: readonly string[];
  readonly acceptFlaky?: boolean;
}

export interface ProofFlags extends ProofChangeFlags {
  readonly prove?: boolean;
  readonly pin?: readonly string[];
}

export const PROOF_FLAGS = ['prove', 'no-prove', 'pin', 'allow-edit', 'accept-flaky'];

export function addProofFlags(command: Command): Command {
  return addProofChangeFlags(
    command
      .option('--prove', 'prove it in a clean checkout when the agent says that it is done')
      .option('--no-prove', 'do not prove, whatever the settings say')
      .option(
        '--pin <path>',
        'with --prove: more files that the checks get as they were at the start (repeatable)',
        collect,
      ),
  );
}

export function addProofChangeFlags(command: Command): Command {
  return command
    .option(
      '--allow-edit <path>',
      'with --prove: tests, or their settings, that the agent may change (repeatable)',
      collect,
    )
    .option('--accept-flaky', 'with --prove: a check that fails and then passes on the same files has passed');
}

export function proveFrom({ prove: isOn, pin: pins, allowEdit, acceptFlaky }: ProofFlags): ProveRequest {
  return defined({ isOn, pins, allowEdit, acceptFlaky });
}

export const proofChangeFrom = ({ allowEdit, acceptFlaky }: ProofChangeFlags): ProofChange =>
  defined({ allowEdit, acceptFlaky });
