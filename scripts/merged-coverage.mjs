/**
 * How many lines of src/ are run by unit tests in their own process, by the built programs that the other tiers start,
 * and by either of them. A line counts if a statement begins on it.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { dist, filesUnder } from './dist-folder.mjs';
import { placesInSources, readAsItComes } from './program-coverage.mjs';
import { root } from './setup.mjs';

/** `folder` is where processes leave what they ran, from now until `print` is called. */
export function measureLines() {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-coverage-'));
  // Some tests start programs as another user.
  chmodSync(folder, 0o1777);
  const programs = new Map(
    filesUnder(dist)
      .filter((path) => /\.c?js$/.test(path))
      .map((path) => [relative(dist, path), readFileSync(path, 'utf8')]),
  );
  const reader = readAsItComes(folder, programs);
  const unit = {};
  return {
    folder,
    /** What the unit tests ran, as vitest's `json` reporter writes it. */
    addUnit: (report) => void Object.assign(unit, report),
    /** Returns a sentence if the coverage cannot be computed. */
    async print() {
      const { ran, processes } = reader.stop();
      rmSync(folder, { recursive: true, force: true });
      const { programsWithMaps } = await import('./build.mjs');
      const withMaps = await programsWithMaps();
      const other = [...programs].find(([path, code]) => withMaps.get(path) !== code);
      if (Object.keys(unit).length === 0) return ['no merged coverage: it needs the tier unit'];
      if (other !== undefined) return [`no merged coverage: dist/${other[0]} is not what src/ builds`];
      printRows(linesByFolder(unit, placesInSources(ran, withMaps), root), processes);
      return [];
    },
  };
}

/** Sorted by name, with the sum at the end. */
export function linesByFolder(unit, places, folder) {
  const rows = new Map();
  const sum = emptyRow('total');
  for (const [path, { statementMap, s: counts }] of Object.entries(unit)) {
    const file = relative(folder, path);
    const name = file.split('/').slice(0, 2).join('/');
    if (!rows.has(name)) rows.set(name, emptyRow(name));
    const lines = new Map();
    for (const [id, statement] of Object.entries(statementMap)) {
      const line = lines.get(statement.start.line) ?? { unit: false, programs: false };
      line.unit ||= counts[id] > 0;
      line.programs ||= wasRun(statement, places.get(file));
      lines.set(statement.start.line, line);
    }
    for (const row of [rows.get(name), sum]) {
      row.lines += lines.size;
      for (const line of lines.values()) {
        if (line.unit) row.unit += 1;
        if (line.programs) row.programs += 1;
        if (line.unit || line.programs) row.together += 1;
      }
    }
  }
  return [...[...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), sum];
}

function emptyRow(name) {
  return { name, lines: 0, unit: 0, programs: 0, together: 0 };
}

/** A statement was run if anything was that begins within it on its first line; later lines can contain functions. */
function wasRun({ start, end }, lines = new Map()) {
  const columns = lines.get(start.line) ?? new Map();
  // Without a column, the statement ends with its line.
  const last = end.line > start.line ? Number.POSITIVE_INFINITY : (end.column ?? Number.POSITIVE_INFINITY);
  const isInside = (column) => column >= start.column && column < last;
  return [...columns].some(([column, isRun]) => isRun && isInside(column));
}

function printRows(rows, { read, unreadable }) {
  const lost = unreadable === 0 ? '' : `, ${unreadable} more could not be read`;
  console.log(`\nlines that tests run (${read} processes of the built programs told${lost}; killed ones cannot)`);
  const width = Math.max(...rows.map(({ name }) => name.length));
  console.log(`${' '.repeat(width)}   lines      unit  programs    either`);
  for (const { name, lines, unit, programs, together } of rows) {
    const shares = [unit, programs, together].map((count) => `${((100 * count) / lines).toFixed(1)} %`.padStart(10));
    console.log(`${name.padEnd(width)}${String(lines).padStart(8)}${shares.join('')}`);
  }
}
