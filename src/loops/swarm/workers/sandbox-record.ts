/** What a worker's record says about its sandbox, and what that has refused a worker without a loop. */
import { join } from 'node:path';
import { describeRefusal, readRefusals } from '../../../runners/sandbox/refusals.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import { printable } from '../../../stream/printable.ts';
import { type Home, sandboxFolder } from './home.ts';
import type { WorkerRecord } from './record.ts';
import { refused } from './swarm.ts';

/** For a record's metadata. */
export function sandboxMetadata(request: SandboxRequest | null): { readonly sandbox?: SandboxRequest } {
  return request === null || request.kind === 'none' ? {} : { sandbox: request };
}

/** The record is people's to edit: one that cannot be read must not become a worker without a sandbox. */
export function sandboxOf({ name, metadata }: Pick<WorkerRecord, 'name' | 'metadata'>): SandboxRequest | null {
  const { sandbox = null } = metadata;
  if (sandbox === null || isRequest(sandbox)) return sandbox;
  throw refused(`the sandbox of worker '${name}' cannot be read from its record`, 1, 'Start it anew: swarm spawn');
}

function isRequest(value: unknown): value is SandboxRequest {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, settleMs, allowHosts, allowWrite, denyWrite, denyRead } = value as Record<string, unknown>;
  return (
    (kind === 'os' || kind === 'docker') &&
    (settleMs === null || typeof settleMs === 'number') &&
    [allowHosts, allowWrite, denyWrite, denyRead].every(isListOfWords)
  );
}

function isListOfWords(value: unknown): boolean {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

export function refusalsFile(home: Home, name: string): string {
  return join(sandboxFolder(home, name), 'refused');
}

/** In sentences for a person, safe to print. */
export function refusalsOf(home: Home, name: string): string[] {
  return readRefusals(refusalsFile(home, name)).map((refusal) => printable(describeRefusal(refusal)));
}
