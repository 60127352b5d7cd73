/**
 * Pins sections of TOML and INI files by their headings, and single lines in other sections. Pure; does not parse the
 * values.
 */

/** Which sections are pinned, by heading; `line`: which lines of other sections. */
export interface About {
  readonly heading: RegExp;
  /** `heading` is null before the first heading. */
  line(heading: string | null, line: string): boolean;
}

interface Section {
  /** Null before the first heading. */
  readonly heading: string | null;
  readonly text: string;
}

/** Null if there are none. */
export function sectionsOf(text: string, about: About): string | null {
  const sections = split(text);
  const found = sections.filter(({ heading }) => isAbout(heading, about)).map((section) => section.text.trimEnd());
  const lines = sections.flatMap((section) =>
    linesAbout(section, about).map((line) => `${section.heading ?? ''}: ${line}`),
  );
  const all = [...found, ...lines.toSorted()];
  return all.length === 0 ? null : all.join('\n\n');
}

/** Moves the pinned sections of the start to the end, in place of those that the file has now. */
export function withSections(now: string, start: string | null, about: About): string {
  const were = start === null ? [] : split(start);
  const others = split(now).filter(({ heading }) => !isAbout(heading, about));
  const pinned = were.filter(({ heading }) => isAbout(heading, about)).map(({ text }) => text.trimEnd());
  const kept = others.map((section) => {
    const before = were.filter(({ heading }) => heading === section.heading);
    return withLines(section, before, about);
  });
  return `${[kept.join('').trimEnd(), ...(pinned.length === 0 ? [] : [pinned.join('\n\n')])].join('\n\n')}\n`;
}

/** A heading with escapes counts as pinned: we cannot read it, and no honest change needs one. */
const isAbout = (heading: string | null, about: About): boolean =>
  heading !== null && (about.heading.test(heading) || heading.includes('\\'));

function linesAbout({ heading, text }: Section, about: About): string[] {
  if (isAbout(heading, about)) return [];
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#') && about.line(heading, line));
}

/** Replaces the pinned lines by those of the start. */
function withLines(section: Section, before: readonly Section[], about: About): string {
  const { heading, text } = section;
  if (heading !== null && DEPENDENCIES.test(heading)) return withSources(section, before, about);
  const [now, were] = [linesAbout(section, about), before.flatMap((one) => linesAbout(one, about))];
  if (now.length === were.length && now.every((line) => were.includes(line))) return text;
  const lines = text.split('\n').filter((line) => !now.includes(line.trim()));
  const begin = heading === null ? 0 : 1;
  return [...lines.slice(0, begin), ...were, ...lines.slice(begin)].join('\n');
}

const DEPENDENCIES = /(?:^|[.-])dependencies$/;

/** A dependency of the start keeps its source; for a new one, the agent decides. */
function withSources({ heading, text }: Section, before: readonly Section[], about: About): string {
  const were = new Map(before.flatMap((one) => one.text.split('\n')).map((line) => [keyOf(line), line]));
  const lines = text
    .split('\n')
    .map((line) => (about.line(heading, line.trim()) ? (were.get(keyOf(line)) ?? line) : line));
  return lines.join('\n');
}

const keyOf = (line: string): string => /^\s*["']?([\w-]+)/.exec(line)?.[1] ?? '';

function split(text: string): Section[] {
  const sections: { heading: string | null; text: string }[] = [{ heading: null, text: '' }];
  for (const line of text.split(/(?<=\n)/)) {
    // Unlike a heading, a line of a list in brackets has commas, or something after it.
    const [, heading] = /^\s*\[{1,2}([^\],]+)\]{1,2}\s*(?:[#;].*)?\s*$/.exec(line) ?? [];
    if (heading !== undefined) sections.push({ heading: heading.replaceAll(/["'\s]/g, ''), text: '' });
    const last = sections.at(-1);
    if (last !== undefined) last.text += line;
  }
  return sections;
}
