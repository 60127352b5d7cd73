/** What a settled sandbox would allow, for the doors' `--dry-run`. */
import { describePolicy } from '../runners/sandbox/describe.ts';
import { policyFacts, type SandboxPlace } from '../runners/sandbox/facts.ts';
import { type PolicyFacts, sandboxPolicy } from '../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../runners/sandbox/request.ts';

export async function sandboxLines(sandbox: SandboxRequest, place: SandboxPlace): Promise<string[]> {
  return sandbox.kind === 'none' ? ['Sandbox: none'] : sandboxLinesFrom(sandbox, policyFacts(place));
}

/** For a place that is not there yet. */
export async function sandboxLinesFrom(sandbox: SandboxRequest, facts: PolicyFacts): Promise<string[]> {
  if (sandbox.kind === 'os') {
    return ["Sandbox (the operating system's):", ...describePolicy(sandboxPolicy(facts, sandbox))];
  }
  if (sandbox.kind === 'docker') {
    const { describeDocker, dockerPolicyFrom } = await import('../runners/docker-sandbox.ts');
    return ["Sandbox (Docker's):", ...describeDocker(dockerPolicyFrom(facts, { wish: sandbox }))];
  }
  return ['Sandbox: none'];
}
