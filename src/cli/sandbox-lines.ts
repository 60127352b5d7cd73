/** What a settled sandbox would allow, for the doors' `--dry-run`. */
import { describePolicy } from '../runners/sandbox/describe.ts';
import { policyFacts, type SandboxPlace } from '../runners/sandbox/facts.ts';
import { sandboxPolicy } from '../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../runners/sandbox/request.ts';

export async function sandboxLines(sandbox: SandboxRequest, place: SandboxPlace): Promise<string[]> {
  if (sandbox.kind === 'os') {
    return ["Sandbox (the operating system's):", ...describePolicy(sandboxPolicy(policyFacts(place), sandbox))];
  }
  if (sandbox.kind === 'docker') {
    const { describeDocker, dockerPolicy } = await import('../runners/docker-sandbox.ts');
    return ["Sandbox (Docker's):", ...describeDocker(dockerPolicy({ ...place, wish: sandbox }))];
  }
  return ['Sandbox: none'];
}
