/** Makes a loop long that has run: its second iteration is written again and again, under the numbers that follow. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The loop has come to its limit, and has at least three iterations. Gives its id; it can be resumed with a larger limit. */
export function lengthenLoop(loops, iterations) {
  const [id] = readdirSync(loops);
  const folder = join(loops, id);
  const journal = join(folder, 'journal.jsonl');
  const text = readFileSync(journal, 'utf8');
  const records = text
    .replaceAll(/"maximumIterations":\d+/g, `"maximumIterations":${iterations}`)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const isOf = (number) => (record) => record.key.startsWith(`${number}/`);
  const [second, last] = [2, Number.parseInt(records.at(-2).key, 10)].map((number) => records.filter(isOf(number)));
  const [end] = records.slice(-1);
  const made = records.slice(0, records.indexOf(second[0]));
  const append = (record) => made.push({ ...record, seq: made.length, at: made.at(-1).at + 1 });
  const renumbered = (record, number) => JSON.parse(JSON.stringify(record).replaceAll(/"(runs\/)?\d+([/-])/g, `"$1${number}$2`));
  for (let number = 2; number < iterations; number++) for (const record of second) append(renumbered(record, number));
  for (const record of last) append(renumbered(record, iterations));
  append({ ...end, result: { ...end.result, ending: { ...end.result.ending, limit: iterations } } });
  writeFileSync(journal, `${made.map((record) => JSON.stringify(record)).join('\n')}\n`);
  // It is of the short loop; ralph writes it again.
  rmSync(join(folder, 'status.json'), { force: true });
  return id;
}
