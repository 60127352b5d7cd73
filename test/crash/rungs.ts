/** Which rungs of the containment ladder this machine has. */
import { containmentOf, type Rung, RUNGS } from '../../src/process/containment.ts';

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
