/**
 * LoopBench: plays every scenario with every harness and prints what came of each. `node bench/loopbench/table.mjs` plays all,
 * `… table.mjs hang clock` those whose name has one of the words. With --markdown it prints one table for the docs.
 */
import { parseArgs } from 'node:util';
import { HARNESSES } from './harnesses/index.mjs';
import { play } from './play.mjs';
import { closingLine, markdownOf, tableOf } from './rows.mjs';
import { SCENARIOS } from './scenarios/index.mjs';

const { values, positionals: words } = parseArgs({
  options: { markdown: { type: 'boolean' } },
  allowPositionals: true,
});
const chosen = SCENARIOS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const byHarness = [];
for (const harness of HARNESSES) {
  const all = [];
  for (const scenario of chosen) all.push({ scenario, played: await play(scenario, harness) });
  byHarness.push({ harness, all });
  if (values.markdown !== true) console.log(`\n${harness.name}\n\n${tableOf(all)}\n\n${closingLine(all)}`);
}
if (values.markdown === true) console.log(markdownOf(byHarness));
