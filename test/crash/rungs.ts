/** Which rungs of the containment ladder this machine has. */
import { CONTAINMENT_LEVELS, type ContainmentLevel, containmentOf } from '../../src/process/containment/containment.ts';

export function rungsOfThisMachine(): ContainmentLevel[] {
  return CONTAINMENT_LEVELS.filter((rung) => {
    try {
      return containmentOf(rung).rung === rung;
    } catch {
      // It says itself that this machine cannot.
      return false;
    }
  });
}
