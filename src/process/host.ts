/** What a supervisor knows about the machine it starts programs on; found out once, then handed down. */
import { type Mask, maskFor } from '../core/mask.ts';
import { type Containment, containmentOf, type Rung, strongestContainment } from './containment.ts';
import { type Place, thisPlace } from './identity.ts';

export interface Host {
  readonly place: Place;
  readonly containment: Containment;
  /** The environment for the programs it starts. */
  readonly env: NodeJS.ProcessEnv;
  /** Hides that environment's secrets, and what looks like one. */
  readonly mask: Mask;
}

export function thisHost(env: NodeJS.ProcessEnv, rung: Rung | null): Host {
  const containment = rung === null ? strongestContainment() : containmentOf(rung);
  return { place: thisPlace(), containment, env, mask: maskFor(env) };
}
