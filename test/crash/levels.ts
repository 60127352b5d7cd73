/** Which levels of the containment ladder this machine has. */
import { containmentOf } from '../../src/process/containment/containment.ts';
import { CONTAINMENT_LEVELS, type ContainmentLevel } from '../../src/process/containment/levels.ts';

export function levelsOfThisMachine(): ContainmentLevel[] {
  return CONTAINMENT_LEVELS.filter((level) => {
    try {
      return containmentOf(level).level === level;
    } catch {
      // It says itself that this machine cannot.
      return false;
    }
  });
}
