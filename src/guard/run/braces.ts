/** `a{b,c}d` is `abd acd`, `{1..3}` is left alone: a guard needs the names, not the numbers. */
import type { Unit, Word } from '../shell/syntax.ts';

const MOST = 64;
const LONGEST = 2000;

export function expandBraces(word: Word): Word[] {
  if (!word.some((unit) => unit.kind === 'text' && !unit.isQuoted && unit.text.includes('{'))) return [word];
  const units = word.flatMap(charactersOf);
  return units.length > LONGEST ? [word] : expand(units).slice(0, MOST);
}

function expand(units: Word): Word[] {
  const group = firstGroup(units);
  if (group === null) return [units];
  const before = units.slice(0, group.start);
  const after = units.slice(group.end + 1);
  const all: Word[] = [];
  for (const choice of group.choices) {
    if (all.length >= MOST) break;
    all.push(...expand([...before, ...choice, ...after]));
  }
  return all;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly Word[];
}

/** The first `{` that is closed and has a comma of its own. */
function firstGroup(units: Word): Group | null {
  for (let start = 0; start < units.length; start++) {
    if (!isMark(units[start], '{')) continue;
    const group = groupAt(units, start);
    if (group !== null) return group;
  }
  return null;
}

function groupAt(units: Word, start: number): Group | null {
  const cuts: number[] = [];
  let open = 0;
  for (let at = start; at < units.length; at++) {
    if (isMark(units[at], '{')) open++;
    else if (isMark(units[at], ',') && open === 1) cuts.push(at);
    else if (isMark(units[at], '}') && --open === 0) {
      if (cuts.length === 0) return null;
      const borders = [start, ...cuts, at];
      const choices = borders.slice(1).map((border, index) => units.slice((borders[index] ?? 0) + 1, border));
      return { start, end: at, choices };
    }
  }
  return null;
}

function isMark(unit: Unit | undefined, mark: string): boolean {
  return unit?.kind === 'text' && !unit.isQuoted && unit.text === mark;
}

function charactersOf(unit: Unit): Unit[] {
  if (unit.kind !== 'text' || unit.isQuoted) return [unit];
  return [...unit.text].map((text) => ({ kind: 'text', text, isQuoted: false }));
}
