/** Who may do what: the tier that the server was started with, narrowed if it runs inside a loop. Pure. */
import type { LoopAround } from '../engine/own-loop.ts';

export const TIERS = ['read', 'self', 'write'] as const;
export type Tier = (typeof TIERS)[number];

export interface Access {
  readonly tier: Tier;
  readonly around: LoopAround;
}

/**
 * `read`: changes nothing. `yield`: hands the loop back to a person, which its own agent can be allowed to do. `steer`:
 * decides what an agent does, or starts one.
 */
export type Needs = 'read' | 'yield' | 'steer';

/** Null if it is allowed; otherwise the reason, and what to do about it. */
export function whyRefused(
  needs: Needs,
  { tier, around }: Access,
): { readonly reason: string; readonly hint: string } | null {
  if (needs === 'read') return null;
  if (around.is === 'none') {
    if (tier === 'write') return null;
    const reason = `this server may only read loops (--allow ${tier})`;
    return { reason, hint: 'The person who set it up can change that: ralph mcp --allow write' };
  }
  if (around.is === 'unclear') return { reason: 'it is not clear which loop this agent works for', hint: ASK };
  if (needs === 'steer') return { reason: 'an agent cannot steer its own loop, or start other loops', hint: ASK };
  if (tier !== 'read') return null;
  const reason = 'this server may only read the loop that it runs in (--allow read)';
  return { reason, hint: 'The person who set it up can change that: ralph mcp --allow self' };
}

const ASK = 'Finish the iteration, and say in your answer what a person has to decide.';

/** Whether the client may see a loop: an agent inside a loop sees only that one. */
export function isVisible({ around }: Access, { id }: { readonly id: string }): boolean {
  return around.is === 'none' || (around.is === 'loop' && around.id === id);
}

/** Describes the access in a sentence, for the client. */
export function accessWords({ tier, around }: Access): string {
  if (around.is === 'unclear') return 'You run inside a loop, and it is not clear which one, so you can see no loops.';
  if (around.is === 'loop') {
    const more = tier === 'read' ? '' : ' and ask it to pause or stop after this iteration';
    return `You run inside the loop ${around.id}: you can see that one${more}, and no other.`;
  }
  return tier === 'write' ? 'You can see, steer and start loops.' : 'You can see loops, but not change anything.';
}
