/** The containment levels that this machine supports. */
import { containmentOf } from '../../src/process/containment/containment.ts';
import { CONTAINMENT_LEVELS, type ContainmentLevel } from '../../src/process/containment/levels.ts';
import { sweep } from './sweep.ts';

export function levelsOfThisMachine(): ContainmentLevel[] {
  return CONTAINMENT_LEVELS.filter((level) => {
    try {
      return containmentOf(level).level === level;
    } catch {
      // This machine does not support the level.
      return false;
    }
  });
}

/** All of them in CI; for a person who waits, two of three. */
export const levelsToTest = (): ContainmentLevel[] => sweep(levelsOfThisMachine(), CONTAINMENT_LEVELS.length);
