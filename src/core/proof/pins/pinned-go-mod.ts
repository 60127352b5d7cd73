/** The part of a go.mod that is about checks: where the modules of the start come from. Pure. */

/** Modules of the start are replaced as they were at the start; for new ones, the agent decides. */
export function withGoModPart(now: string, before: string | null): string {
  if (before === null) return now;
  const known = new Set([...modulesIn(before), ...replacedIn(before).keys()]);
  const were = replacedIn(before);
  const added = [...replacedIn(now)].filter(([module]) => !known.has(module));
  const lines = [...were, ...added].map(([, line]) => `replace ${line}`);
  return `${[withoutReplaced(now).trimEnd(), ...lines].join('\n')}\n`;
}

/** The part, in a form that can be compared. */
export const goModPart = (text: string): string => [...replacedIn(text).values()].toSorted().join('\n');

const REPLACE_BLOCK = /^replace\s*\(([^)]*)\)[^\S\n]*\n?/gm;
const REPLACE_LINE = /^replace\s+([^\s(][^\n]*)\n?/gm;

function replacedIn(text: string): Map<string, string> {
  const blocks = [...text.matchAll(REPLACE_BLOCK)].flatMap(([, inside = '']) => inside.split('\n'));
  const single = [...text.matchAll(REPLACE_LINE)].map(([, line = '']) => line);
  const lines = [...blocks, ...single]
    .map((line) => line.replace(/\/\/.*/, '').trim())
    .filter((line) => line.includes('=>'));
  return new Map(lines.map((line) => [line.split(/\s+/)[0]?.replaceAll('"', '') ?? '', line]));
}

const withoutReplaced = (text: string): string => text.replaceAll(REPLACE_BLOCK, '').replaceAll(REPLACE_LINE, '');

function modulesIn(text: string): string[] {
  return [...text.matchAll(/^(?:require\s+)?\s*"?([\w.-]+\.[\w./~-]+)"?\s+v\d/gm)].map(([, module = '']) => module);
}
