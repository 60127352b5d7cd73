/** Which rungs of the containment ladder this machine has. */
import { containmentOf, RUNGS, type Rung } from '../../src/process/containment.ts';

export function rungsOfThisMachine(): Rung[] {
  return RUNGS.filter((rung) => {
    try {
      return containmentOf(rung).rung === rung;
    } catch {
      // It says itself that this machine cannot.
      return false;
    }
  });
}
