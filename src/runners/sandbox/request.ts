/** Resolves what a loop's sandbox is, for any loop kind: the command line's word first, then the settings'. Lists add up. */
import { RalphError } from '../../core/error.ts';
import { checkedHost } from './hosts.ts';

/** What a user asks for beyond the defaults. */
export type SandboxWish = { readonly [List in (typeof LISTS)[number]]: readonly string[] };

const LISTS = ['allowHosts', 'allowWrite', 'denyWrite', 'denyRead'] as const;

/** Resolved when the loop begins: what an agent writes into the settings later does not widen it. */
export type SandboxRequest = SandboxWish & {
  /** `auto`: the strongest that the machine has, which may be none. Null where only the lists were given. */
  readonly kind: 'none' | 'os' | 'docker' | 'auto' | null;
  /** How long the files of a run need to come out of Docker; null for its own figure. */
  readonly settleMs: number | null;
};

export const NO_SANDBOX: SandboxRequest = {
  kind: 'none',
  allowHosts: [],
  allowWrite: [],
  denyWrite: [],
  denyRead: [],
  settleMs: null,
};

/** As the settings file gives them. */
export type SandboxSettings = { readonly [Key in keyof SandboxRequest]?: SandboxRequest[Key] | undefined };

/** As the command line gives them. */
export interface SandboxFlags extends Partial<Omit<SandboxWish, 'allowHosts'>> {
  readonly sandbox?: 'docker' | 'os' | 'auto' | boolean;
  readonly allowHost?: readonly string[];
}

export function sandboxFromFlags(flags: SandboxFlags): SandboxRequest | null {
  const { sandbox, allowHost = [], allowWrite = [], denyWrite = [], denyRead = [] } = flags;
  const lists = { allowHosts: allowHost, allowWrite, denyWrite, denyRead };
  if (sandbox === undefined && Object.values(lists).every((list) => list.length === 0)) return null;
  return { kind: kindOf(sandbox), ...lists, settleMs: null };
}

/** `otherwise`: what a loop kind does without a word from the user. */
export function resolvedRequest(
  given: SandboxRequest | null,
  settings: SandboxSettings | undefined,
  otherwise: 'none' | 'auto' = 'none',
): SandboxRequest {
  const kind = given?.kind ?? settings?.kind ?? otherwise;
  if (kind === 'none') {
    refuseIdle(given, 'Add --sandbox=os (or --sandbox, which is Docker).');
    if (given?.kind !== 'none' && settings?.kind === undefined) refuseIdleSettings(settings);
    return NO_SANDBOX;
  }
  const both = (list: (typeof LISTS)[number]): string[] => [...(settings?.[list] ?? []), ...(given?.[list] ?? [])];
  return {
    kind,
    allowHosts: both('allowHosts').map(checkedHost),
    allowWrite: both('allowWrite'),
    denyWrite: both('denyWrite'),
    denyRead: both('denyRead'),
    settleMs: settings?.settleMs ?? null,
  };
}

/** The same in the settings, unless the user asked for none. What only widens a sandbox is not missed without one. */
function refuseIdleSettings({ denyWrite = [], denyRead = [] }: SandboxSettings = {}): void {
  const [idle] = [...denyWrite, ...denyRead];
  if (idle === undefined) return;
  throw new RalphError('NO_SANDBOX', `the settings keep "${idle}" from the agent by a sandbox, and there is none`, {
    hint: 'Set sandbox.kind as well, or add --sandbox=os; without: --no-sandbox',
  });
}

/** A flag that narrows or widens a sandbox is an error where there is none. */
export function refuseIdle(given: SandboxRequest | null, hint: string): void {
  const [idle] = LISTS.flatMap((list) => given?.[list] ?? []);
  if (idle === undefined) return;
  throw new RalphError('NO_SANDBOX', `"${idle}" was given for a sandbox, and there is none`, { hint });
}

function kindOf(sandbox: SandboxFlags['sandbox']): SandboxRequest['kind'] {
  if (sandbox === undefined) return null;
  if (typeof sandbox === 'string') return sandbox;
  return sandbox ? 'docker' : 'none';
}
