/** The sections of a file in the form of TOML or INI whose headings match. Pure, and without reading what is in them. */

interface Section {
  /** Null for what stands before the first heading. */
  readonly heading: string | null;
  readonly text: string;
}

/** Null where there is none. */
export function sectionsOf(text: string, which: RegExp): string | null {
  const found = split(text).filter(({ heading }) => heading !== null && which.test(heading));
  return found.length === 0 ? null : found.map((section) => section.text.trimEnd()).join('\n\n');
}

/** The sections of the start stand at the end, in place of those that the file has now. */
export function withSections(now: string, before: string | null, which: RegExp): string {
  const others = split(now).filter(({ heading }) => heading === null || !which.test(heading));
  const were = before === null ? null : sectionsOf(before, which);
  return `${[
    others
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
    ...(were === null ? [] : [were]),
  ].join('\n\n')}\n`;
}

function split(text: string): Section[] {
  const sections: { heading: string | null; text: string }[] = [{ heading: null, text: '' }];
  for (const line of text.split(/(?<=\n)/)) {
    // A line of a list in brackets has commas, or something else behind it.
    const [, heading] = /^\s*\[{1,2}([^\],]+)\]{1,2}\s*(?:[#;].*)?\s*$/.exec(line) ?? [];
    if (heading !== undefined) sections.push({ heading: heading.replaceAll(/["'\s]/g, ''), text: '' });
    const last = sections.at(-1);
    if (last !== undefined) last.text += line;
  }
  return sections;
}
