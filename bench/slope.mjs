/** What one more turn of a loop costs in CPU: the slope between a short and a long run, so that its start is left out. */
import { cpuOf } from './measure.mjs';

const TURNS = { short: 10, long: 80 };

/** `harness` gives the command for so many turns. */
export function slopeOf(workspace, harness, { short: least, long: most } = TURNS) {
  return () => {
    // Two figures, also where a case is only tried.
    const few = workspace.scaled(least);
    const turns = [few, Math.max(few + 1, workspace.scaled(most))];
    const [short, long] = turns.map((count) => {
      workspace.clear();
      return cpuOf(harness(count));
    });
    return (long - short) / (turns[1] - turns[0]);
  };
}
