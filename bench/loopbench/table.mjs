/**
 * LoopBench: plays every scenario with every harness and prints what came of each. `node bench/loopbench/table.mjs` plays all,
 * `… table.mjs hang clock` those whose name has one of the words.
 */
import { HARNESSES } from './harnesses/index.mjs';
import { play } from './play.mjs';
import { closingLine, tableOf } from './rows.mjs';
import { SCENARIOS } from './scenarios/index.mjs';

const words = process.argv.slice(2);
const chosen = SCENARIOS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
for (const harness of HARNESSES) {
  const all = [];
  for (const scenario of chosen) all.push({ scenario, played: await play(scenario, harness) });
  console.log(`\n${harness.name}\n\n${tableOf(all)}\n\n${closingLine(all)}`);
}
