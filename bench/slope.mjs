/** CPU of one more turn of a loop: the slope between a short and a long run, which leaves out the start. */
import { cpuOf } from './measure.mjs';

const TURNS = { short: 10, long: 80 };

/** `harness` gives the command for so many turns. */
export function slopeOf(workspace, harness, { short: least, long: most } = TURNS) {
  return () => {
    // Two different counts, even if the case is only tried once.
    const few = workspace.scaled(least);
    const turns = [few, Math.max(few + 1, workspace.scaled(most))];
    const [short, long] = turns.map((count) => {
      workspace.clear();
      return cpuOf(harness(count));
    });
    return (long - short) / (turns[1] - turns[0]);
  };
}
