/** The flags with which a task's agents work without asking anybody; what a user gives wins. */
import { unlessGiven } from '../../agents/flags.ts';
import { profileFor } from '../../agents/index.ts';

export function taskFlags(agent: string, given: readonly string[]): string[] {
  return [...unlessGiven(profileFor(agent).taskFlags ?? [], given), ...given];
}
