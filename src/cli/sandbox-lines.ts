/** What a settled sandbox would allow, for the doors' `--dry-run`. */
import { describePolicy } from '../runners/sandbox/describe.ts';
import { policyFacts, type SandboxPlace } from '../runners/sandbox/facts.ts';
import { type DoorPaths, type PolicyFacts, sandboxPolicy, withDoor } from '../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../runners/sandbox/request.ts';

export async function sandboxLines(
  sandbox: SandboxRequest,
  { door, ...place }: SandboxPlace & { readonly door?: DoorPaths },
): Promise<string[]> {
  return sandbox.kind === 'none' ? ['Sandbox: none'] : sandboxLinesFrom(sandbox, policyFacts(place), door);
}

/** For a place that is not there yet. */
export async function sandboxLinesFrom(
  sandbox: SandboxRequest,
  facts: PolicyFacts,
  door?: DoorPaths,
): Promise<string[]> {
  if (sandbox.kind === 'os') {
    const policy = sandboxPolicy(facts, sandbox);
    return [
      "Sandbox (the operating system's):",
      ...describePolicy(door === undefined ? policy : withDoor(policy, door)),
    ];
  }
  if (sandbox.kind === 'docker') {
    const { describeDocker, dockerPolicyFrom } = await import('../runners/docker-sandbox.ts');
    return [
      "Sandbox (Docker's):",
      ...describeDocker(dockerPolicyFrom(facts, { wish: sandbox, ...(door === undefined ? {} : { door }) })),
    ];
  }
  return ['Sandbox: none'];
}
