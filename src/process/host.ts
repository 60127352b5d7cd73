/** What a supervisor knows about the machine it starts programs on; found out once, then handed down. */
import { type Containment, containmentOf, type Rung, strongestContainment } from './containment.ts';
import { type Place, thisPlace } from './identity.ts';

export interface Host {
  readonly place: Place;
  readonly containment: Containment;
  /** The environment for the programs it starts. */
  readonly env: NodeJS.ProcessEnv;
}

export function thisHost(env: NodeJS.ProcessEnv, rung: Rung | null): Host {
  return { place: thisPlace(), containment: rung === null ? strongestContainment() : containmentOf(rung), env };
}
