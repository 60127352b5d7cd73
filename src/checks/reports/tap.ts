/** Reads the Test Anything Protocol, perhaps with other lines in between. */
import { joinNames, type TestCase } from '../../core/proof/test-case.ts';

const POINT = /^( *)(not )?ok\b(?: +\d+)?(?: +-)? *(.*?)(?: +# *(SKIP|TODO)\b.*)?$/i;
const PLAN = /^( *)1\.\.(\d+)(?: +# *(SKIP)\b.*)?/i;
const INDENT = 4;
/** An agent may have written the file, and the patterns are slow on long lines. */
const LONGEST_LINE = 2000;

interface Point extends TestCase {
  readonly inside: readonly TestCase[];
}

/** Null if it contains no TAP. */
export function readTap(text: string): TestCase[] | null {
  /** By depth: the test points that do not belong to a suite yet. */
  const levels: Point[][] = [];
  const plans: (number | undefined)[] = [];
  let isBailedOut = false;
  for (const whole of text.split(/\r?\n/)) {
    const line = whole.slice(0, LONGEST_LINE);
    const plan = PLAN.exec(line);
    if (plan !== null) plans[depthOf(plan[1])] = Number(plan[2]);
    if (/^Bail out!/i.test(line)) isBailedOut = true;
    const point = POINT.exec(line);
    if (point === null) continue;
    const [, indent, isNot, name = '', directive] = point;
    const depth = depthOf(indent);
    const inside = closed(levels, plans, depth + 1);
    const outcome = directive !== undefined ? 'skipped' : isNot === undefined ? 'passed' : 'failed';
    levels[depth] ??= [];
    levels[depth].push({ name: name.trim().replaceAll(/\\([\\#])/g, '$1'), outcome, inside });
  }
  if (levels.length === 0 && plans.length === 0) return null;
  const cases = closed(levels, plans, 0);
  return isBailedOut ? [...cases, { name: 'Bail out!', outcome: 'failed' }] : cases;
}

const depthOf = (indent = ''): number => Math.floor(indent.length / INDENT);

/** Closes this depth and those below; their tests belong to the test point that follows. */
function closed(levels: Point[][], plans: (number | undefined)[], depth: number): TestCase[] {
  const points = levels[depth] ?? [];
  const planned = plans[depth];
  levels.length = Math.min(levels.length, depth);
  plans.length = Math.min(plans.length, depth);
  const cases = points.flatMap(leavesOf);
  const isCutOff = planned !== undefined && points.length < planned;
  return isCutOff ? [...cases, { name: `${points.length} of ${planned} planned tests ran`, outcome: 'failed' }] : cases;
}

/** A suite counts by the tests in it, unless it failed by itself. */
function leavesOf({ name, outcome, inside }: Point): TestCase[] {
  const own = { name, outcome };
  if (inside.length === 0) return [own];
  const leaves = inside.map((test) => ({ ...test, name: joinNames(name, test.name) }));
  const isOwnFailure = outcome === 'failed' && !leaves.some((leaf) => leaf.outcome === 'failed');
  return isOwnFailure ? [...leaves, own] : leaves;
}
