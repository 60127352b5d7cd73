/** What a settled sandbox would allow, for the doors' `--dry-run`. */
import { describePolicy } from '../runners/sandbox/describe.ts';
import { policyFacts, type SandboxPlace } from '../runners/sandbox/facts.ts';
import { type DoorPaths, sandboxPolicy, withDoor } from '../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../runners/sandbox/request.ts';

interface DryPlace extends SandboxPlace {
  readonly door?: DoorPaths;
}

export async function sandboxLines(sandbox: SandboxRequest, place: DryPlace): Promise<string[]> {
  const { door } = place;
  if (sandbox.kind === 'os') {
    const policy = sandboxPolicy(policyFacts(place), sandbox);
    return [
      "Sandbox (the operating system's):",
      ...describePolicy(door === undefined ? policy : withDoor(policy, door)),
    ];
  }
  if (sandbox.kind === 'docker') {
    const { describeDocker, dockerPolicy } = await import('../runners/docker-sandbox.ts');
    return ["Sandbox (Docker's):", ...describeDocker(dockerPolicy({ ...place, wish: sandbox }))];
  }
  return ['Sandbox: none'];
}
