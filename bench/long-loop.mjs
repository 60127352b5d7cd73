/**
 * Lengthens a loop that has run: its second iteration is written again and again, with the numbers that follow. So are
 * the files of its runs, empty, and the records of their processes.
 */
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ralphRun } from './harnesses.mjs';
import { cpuOf } from './measure.mjs';

/** Short, and yet the second iteration has others before and after it. */
const SHORT = 4;

/** Leaves a loop with so many iterations, at its limit and alone in the state folder. Returns its id, for a resume. */
export function leaveLongLoop(workspace, agent, iterations, options) {
  workspace.clear();
  cpuOf(ralphRun(workspace, agent, SHORT, options));
  const id = lengthen(join(workspace.state, 'ralph', 'loops'), iterations);
  // Once more, to write its status.
  cpuOf(ralphResume(workspace, agent, id, iterations + 1, options));
  return id;
}

/** Resumes it, up to so many iterations in all. */
export function ralphResume(workspace, agent, id, iterations, options) {
  const { argv, ...place } = ralphRun(workspace, agent, iterations, options);
  return { ...place, argv: [...argv.slice(0, 2), 'resume', id, '-m', String(iterations)] };
}

function lengthen(loops, iterations) {
  const [id] = readdirSync(loops);
  const journal = join(loops, id, 'journal.jsonl');
  const text = readFileSync(journal, 'utf8').replaceAll(
    /"maximumIterations":\d+/g,
    `"maximumIterations":${iterations}`,
  );
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const of = (number) => records.filter(({ key }) => key.startsWith(`${number}/`));
  const made = records.slice(0, records.indexOf(of(2)[0]));
  const append = (record) => made.push({ ...record, seq: made.length, at: made.at(-1).at + 1 });
  const renumbered = (record, number) =>
    JSON.parse(JSON.stringify(record).replaceAll(/"(runs\/)?\d+([/-])/g, `"$1${number}$2`));
  const second = of(2);
  for (let number = 2; number < iterations; number++) for (const record of second) append(renumbered(record, number));
  for (const record of of(SHORT)) append(renumbered(record, iterations));
  const end = records.at(-1);
  append({ ...end, result: { ...end.result, ending: { ...end.result.ending, limit: iterations } } });
  writeFileSync(journal, `${made.map((record) => JSON.stringify(record)).join('\n')}\n`);
  lengthenRuns(join(loops, id, 'runs'), id, iterations);
  // That is of the short loop.
  rmSync(join(loops, id, 'status.json'), { force: true });
  return id;
}

/** The outputs of earlier runs are empty: nothing reads them, and they would fill the memory. */
function lengthenRuns(runs, id, iterations) {
  const names = readdirSync(runs).filter((name) => name.startsWith('2-'));
  const processes = join(runs, 'processes.jsonl');
  const isOfSecond = (line) => line.includes(`${id}/2/`);
  const lines = readFileSync(processes, 'utf8').split('\n').filter(isOfSecond);
  if (names.length === 0 || lines.length === 0) throw new Error(`${runs} does not hold what a run leaves`);
  const numbered = (number) => (line) =>
    line.replaceAll(`${id}/2/`, `${id}/${number}/`).replaceAll(`${id}-2-`, `${id}-${number}-`);
  for (let number = SHORT + 1; number <= iterations; number++) {
    for (const name of names) writeFileSync(join(runs, `${number}${name.slice(1)}`), '');
    appendFileSync(processes, `\n${lines.map(numbered(number)).join('\n\n')}\n`);
  }
}
