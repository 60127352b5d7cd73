/**
 * The code that decides (the state machine, the engine, the rules of the loop kinds) must have a minimum share of lines
 * that unit tests run in their own process. Commands are covered by the tiers that start the program
 * (scripts/merged-coverage.mjs).
 */
import { join } from 'node:path';
import { readOrNull } from './setup.mjs';

const GOAL = 90;
const RULES = /^src\/loops\/.*\b(?:rules|transitions)\.ts$/;
const GROUPS = [
  { name: 'core', has: (path) => path.startsWith('src/core/') },
  { name: 'engine', has: (path) => path.startsWith('src/engine/') },
  { name: "loop kinds' rules", has: (path) => RULES.test(path) },
];

/** Covers all of src/ only on request, because that takes longer. */
export function coverageFlags(folder, { ofAll = false } = {}) {
  const included = ofAll ? ['src/**/*.ts'] : ['src/core/**/*.ts', 'src/engine/**/*.ts', 'src/loops/**/*.ts'];
  return [
    '--coverage.enabled',
    '--coverage.provider=v8',
    '--coverage.reportOnFailure',
    ...included.map((glob) => `--coverage.include=${glob}`),
    '--coverage.reporter=json-summary',
    ...(ofAll ? ['--coverage.reporter=json'] : []),
    `--coverage.reportsDirectory=${folder}`,
  ];
}

/** What the unit tests ran, statement by statement; available only if all of src/ was covered. */
export function unitStatements(folder) {
  return JSON.parse(readOrNull(join(folder, 'coverage-final.json')) ?? '{}');
}

/** Prints the share of each group, and returns a sentence for each that is too low. */
export function belowGoal(folder) {
  const text = readOrNull(join(folder, 'coverage-summary.json'));
  if (text === null) return ['no coverage was measured'];
  const files = Object.entries(JSON.parse(text)).map(([path, { lines }]) => ({
    path: path.slice(path.lastIndexOf('/src/') + 1),
    lines,
  }));
  return GROUPS.flatMap(({ name, has }) => {
    const meant = files.filter(({ path }) => has(path));
    const covered = meant.reduce((sum, { lines }) => sum + lines.covered, 0);
    const total = meant.reduce((sum, { lines }) => sum + lines.total, 0);
    const share = total === 0 ? 0 : (100 * covered) / total;
    console.log(`lines that unit tests run, ${name}: ${share.toFixed(1)} % of ${total}`);
    return share < GOAL ? [`unit tests run ${share.toFixed(1)} % of the lines in ${name}, less than ${GOAL} %`] : [];
  });
}
