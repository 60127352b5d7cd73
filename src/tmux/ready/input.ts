/** Finds the place on an agent's screen where a prompt is typed, and what stands in it. */

/** Null: there is none on this screen. Else what is typed, empty when only a placeholder stands there. */
export type Input = string | null;

const RULE = /^─{10,}$/;

/** Between the last two rules that go across the pane, behind a mark such as `❯`. */
export function inputBetweenRules(lines: readonly string[], mark: RegExp, placeholder: RegExp): Input {
  const bottom = lines.findLastIndex((line) => RULE.test(line));
  const top = lines.slice(0, Math.max(0, bottom)).findLastIndex((line) => RULE.test(line));
  if (top < 0) return null;
  const [first = '', ...rest] = lines.slice(top + 1, bottom);
  return mark.test(first) ? typedText([first.replace(mark, ''), ...rest], placeholder) : null;
}

/** The last line with this mark at its beginning, and what follows it. */
export function inputBehindMark(lines: readonly string[], mark: RegExp, placeholder: RegExp): Input {
  const at = lines.findLastIndex((line) => mark.test(line));
  if (at < 0) return null;
  return typedText([(lines[at] ?? '').replace(mark, '')], placeholder);
}

/** Beside the last thick bar that ends in a foot; its last line names the mode. */
export function inputBesideBar(lines: readonly string[], placeholder: RegExp): Input {
  const foot = lines.findLastIndex((line) => /^\s*╹▀+$/.test(line));
  const above = lines.slice(0, Math.max(0, foot));
  const top = above.findLastIndex((line) => !/^\s*┃/.test(line)) + 1;
  const beside = above.slice(top).map((line) => line.replace(/^\s*┃/, ''));
  return beside.length === 0 ? null : typedText(beside.slice(0, -1), placeholder);
}

function typedText(lines: readonly string[], placeholder: RegExp): string {
  const text = lines
    .join('\n')
    // Some show a cursor of no width.
    .replaceAll('\u200b', '')
    .trim();
  return placeholder.test(text) ? '' : text;
}
