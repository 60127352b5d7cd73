/** What a settled sandbox would allow, for `--dry-run`. */

import { policyFacts, type SandboxPlace } from '../runners/sandbox/facts.ts';
import {
  describePolicy,
  type LoopPaths,
  type PolicyFacts,
  sandboxPolicy,
  withLoopPaths,
} from '../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../runners/sandbox/request.ts';

export async function sandboxLines(
  sandbox: SandboxRequest,
  { loopPaths, ...place }: SandboxPlace & { readonly loopPaths?: LoopPaths },
): Promise<string[]> {
  return sandbox.kind === 'none' ? ['Sandbox: none'] : sandboxLinesFrom(sandbox, policyFacts(place), loopPaths);
}

/** For a place that is not there yet. */
export async function sandboxLinesFrom(
  sandbox: SandboxRequest,
  facts: PolicyFacts,
  loopPaths?: LoopPaths,
): Promise<string[]> {
  if (sandbox.kind === 'os') {
    const policy = sandboxPolicy(facts, sandbox);
    return [
      "Sandbox (the operating system's):",
      ...describePolicy(loopPaths === undefined ? policy : withLoopPaths(policy, loopPaths)),
    ];
  }
  if (sandbox.kind === 'docker') {
    const { describeDocker, dockerPolicyFrom } = await import('../runners/docker-sandbox.ts');
    return [
      "Sandbox (Docker's):",
      ...describeDocker(dockerPolicyFrom(facts, { wish: sandbox, ...(loopPaths === undefined ? {} : { loopPaths }) })),
    ];
  }
  return ['Sandbox: none'];
}
