/** Shows the lines of the report as they come, and saves them all to bench/results/latest.json. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COLUMNS = [42, 10, 22, 22, 10];

export function heading() {
  return columns(['', 'figure', 'floor', 'compared (quartiles)', 'target', '']);
}

/** `MISSED` is a finding, not a failure. */
export function shown(line) {
  if (line.leftOut !== undefined) return `${line.name}: left out, ${line.leftOut}`;
  const { name, unit, figure, floor, compared, by, atMost } = line;
  const format = (number) => (by === 'ratio' ? number.toFixed(2) : signed(number));
  return columns([
    name,
    `${number(figure)} ${unit}`,
    `${floor.name} ${number(floor.figure)}`,
    `${format(compared.median)} (${format(compared.low)}–${format(compared.high)})`,
    atMost === null ? '' : `≤ ${by === 'ratio' ? atMost : signed(atMost)}`,
    verdict(line),
  ]);
}

/** Whether a line has a figure to show, or a reason for none. */
export function isFigure({ leftOut, figure, compared }) {
  return leftOut !== undefined || [figure, compared.median].every(Number.isFinite);
}

/** Returns a line that says where the results are. The folder can belong to another user: then they are only shown. */
export function writeResults(machine, lines) {
  const folder = fileURLToPath(new URL('results', import.meta.url));
  const results = lines.map((line) => ({ ...line, verdict: verdict(line) }));
  const file = `${folder}/latest.json`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${JSON.stringify({ ...machine, results }, null, 2)}\n`);
    return `\nkept in ${file}`;
  } catch (error) {
    return `\nnot kept: ${error.message}`;
  }
}

function verdict({ compared, atMost }) {
  if (compared === undefined || atMost === null) return '';
  return compared.median <= atMost ? 'ok' : 'MISSED';
}

function columns(cells) {
  return cells
    .map((cell, i) => cell.padEnd(COLUMNS[i] ?? 0))
    .join(' ')
    .trimEnd();
}

function number(figure) {
  return figure.toFixed(figure < 20 ? 2 : 0);
}

function signed(figure) {
  return `${figure < 0 ? '' : '+'}${figure.toFixed(1)}`;
}
