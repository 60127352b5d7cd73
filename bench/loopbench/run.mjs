/**
 * LoopBench: plays every scenario with every installed harness, and prints the results. `npm run loopbench` plays all,
 * `npm run loopbench -- hang clock` those with one of the words in their name. With --markdown it prints the tables of
 * docs/loopbench.md, with --svg <file> it writes the chart there.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compare } from './compare.mjs';
import { HARNESSES } from './harnesses/index.mjs';
import { chartOf } from './print/chart.mjs';
import { markdownOf } from './print/markdown.mjs';
import { closingLine, tableOf } from './print/table.mjs';
import { SCENARIOS } from './scenarios/index.mjs';
import { clearStage } from './stage/scene.mjs';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, leave);
// This variable makes every start of node three times slower.
delete process.env.NODE_EXTRA_CA_CERTS;
const { values, words } = readArguments();
const chosen = SCENARIOS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) refuse(`no scenario has a name with ${words.join(' or ')}`);

const show = ({ harness, rows }) => console.log(`\n${harness.name}\n\n${tableOf(rows)}\n\n${closingLine(rows)}`);
const results = await compare(chosen, HARNESSES, { say: console.error, ...(values.markdown ? {} : { show }) });
if (values.markdown) console.log(markdownOf(results));
if (values.svg !== undefined) writeFileSync(values.svg, `${chartOf(results)}\n`);

function readArguments() {
  const options = { markdown: { type: 'boolean', default: false }, svg: { type: 'string' } };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { values, words: positionals };
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(why) {
  console.error(`${why}\nusage: npm run loopbench -- [--markdown] [--svg <file>] [part of a scenario's name …]`);
  process.exit(2);
}

function leave() {
  clearStage();
  process.exit(130);
}
