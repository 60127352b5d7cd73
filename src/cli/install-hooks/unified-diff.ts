/** The difference of two texts as `diff -u` shows it; an absent file is null. */

const CONTEXT = 3;

export interface FileDifference {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

type Line = readonly [sign: ' ' | '-' | '+', text: string];

export function unifiedDiff({ path, before, after }: FileDifference): string[] {
  const name = (text: string | null): string => (text === null ? '/dev/null' : path);
  const lines = diffLines(linesOf(before), linesOf(after));
  return [`--- ${name(before)}`, `+++ ${name(after)}`, ...hunks(lines)];
}

/** With their ends, so that a missing one at the end of the file is a difference. */
function linesOf(text: string | null): string[] {
  return text?.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** What is the same at both ends is set aside; the longest common rest is found by a table. */
function diffLines(a: readonly string[], b: readonly string[]): Line[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const [oldPart, newPart] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const kept = (from: number, to: number): Line[] => a.slice(from, to).map((text) => [' ', text]);
  return [...kept(0, head), ...diffMiddle(oldPart, newPart), ...kept(a.length - tail, a.length)];
}

function diffMiddle(a: readonly string[], b: readonly string[]): Line[] {
  // common[i][j]: how many lines a from i and b from j have in common.
  const common = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row !== undefined) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push([' ', left]);
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(['-', left]);
      i++;
    } else {
      lines.push(['+', right ?? '']);
      j++;
    }
  }
  return lines;
}

function hunks(lines: readonly Line[]): string[] {
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([sign]) => sign !== ' '),
  );
  const output: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let index = 0; index < lines.length; ) {
    let end = index;
    while (shown[end] === true) end++;
    const hunk = lines.slice(index, end);
    const [oldCount, newCount] = [countOf(hunk, '+'), countOf(hunk, '-')];
    if (hunk.length > 0) {
      output.push(`@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@`, ...hunk.flatMap(shownLine));
    }
    oldLine += oldCount;
    newLine += newCount;
    index = end;
    while (index < lines.length && shown[index] !== true) {
      index++;
      oldLine++;
      newLine++;
    }
  }
  return output;
}

/** How many lines of one side a hunk has: all but those of the other sign. */
function countOf(hunk: readonly Line[], otherSign: '+' | '-'): number {
  return hunk.filter(([sign]) => sign !== otherSign).length;
}

/** A side without lines is named by the line before it. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function shownLine([sign, text]: Line): string[] {
  return text.endsWith('\n') ? [`${sign}${text.slice(0, -1)}`] : [`${sign}${text}`, '\\ No newline at end of file'];
}
