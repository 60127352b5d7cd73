/** The sandbox of a loop's agents: chosen before the loop begins, opened when it is driven, for every loop kind. */
import { agentsAccess } from '../agents/index.ts';
import { defined } from '../core/defined.ts';
import { type Isolation, type IsolationOptions, isolate, resolveSandbox } from '../runners/choose.ts';
import type { SandboxRequest, SandboxSettings } from '../runners/sandbox/request.ts';

/** Names agents by their commands: each may reach and write what its profile says. */
type OfAgents<Options> = Omit<Options, 'access'> & { readonly agents: readonly string[] };

/** `noSandbox`: why there is none, although the strongest was asked for. */
export async function chooseSandbox(
  given: SandboxRequest | null,
  settings: SandboxSettings | undefined,
  { agents, ...asked }: OfAgents<Parameters<typeof resolveSandbox>[2]>,
) {
  const access = agentsAccess(...agents);
  const { request: sandbox, passedOver } = await resolveSandbox(given, settings, { ...asked, access });
  const { docker, os } = passedOver;
  return { sandbox, passedOver, ...defined({ noSandbox: os === null ? undefined : `${docker}; ${os}` }) };
}

/** Closing its runner closes the sandbox. */
export function openSandbox(
  sandbox: SandboxRequest | null,
  { agents, ...options }: OfAgents<Omit<IsolationOptions, 'runner'>> & Partial<Pick<IsolationOptions, 'runner'>>,
): Promise<Isolation> {
  return isolate(sandbox, { runner: 'direct', ...options, access: agentsAccess(...agents) });
}
