/** What one more turn of a loop costs in CPU: the slope between a short and a long run, so that its start is left out. */
import { cpuOf } from './measure.mjs';

const SHORT = 10;
const LONG = 80;

/** `harness` gives the command for so many turns. */
export function slopeOf(workspace, harness) {
  return () => {
    const turns = [SHORT, LONG].map(workspace.scaled);
    const [short, long] = turns.map((count) => {
      workspace.clear();
      return cpuOf(harness(count));
    });
    return (long - short) / (turns[1] - turns[0]);
  };
}
