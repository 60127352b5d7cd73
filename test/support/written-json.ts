/** JSON as different people write it: any indentation, line ends, blanks, comments, a byte order mark or none. */
import * as fc from 'fast-check';

export interface WrittenJson {
  readonly text: string;
  readonly value: Record<string, unknown>;
}

/** All comments that it can contain. */
export const REMARKS = ['/* a "remark" */', '// one, { here', '// two }'] as const;

export function writtenJson({ comments }: { readonly comments: boolean }): fc.Arbitrary<WrittenJson> {
  const blanks = fc.constantFrom('', '', ' ', '  ', '\t', '\n', '\n\n  ', '\r\n    ');
  const remarks = fc.constantFrom('', '', ` ${REMARKS[0]} `, ` ${REMARKS[1]}\n`, `\n  ${REMARKS[2]}\n`);
  const gap = comments ? fc.tuple(blanks, remarks, blanks).map((parts) => parts.join('')) : blanks;
  const free = fc.tuple(settings, fc.infiniteStream(gap)).map(([value, gaps]) => ({
    value,
    text: write(value, () => gaps.next().value as string),
  }));
  const tidy = fc
    .tuple(settings, fc.constantFrom('  ', '    ', '\t', ''), fc.constantFrom('', '\n', '\r\n'))
    .map(([value, indent, end]) => ({ value, text: `${JSON.stringify(value, null, indent)}${end}` }));
  return fc
    .tuple(fc.oneof(free, tidy), fc.constantFrom('', '', '\uFEFF'))
    .map(([{ value, text }, mark]) => ({ value, text: `${mark}${text}` }));
}

const hook = fc.record({ type: fc.constant('command'), command: fc.string(), timeout: fc.nat(900) });
const group = fc.record({ matcher: fc.string(), hooks: fc.array(hook, { maxLength: 2 }) }, { requiredKeys: ['hooks'] });
const event = fc.constantFrom('Stop', 'SessionStart', 'UserPromptSubmit', 'BeforeAgent', 'PreToolUse');
const hooks = fc.dictionary(event, fc.array(group, { maxLength: 3 }), { maxKeys: 4, noNullPrototype: true });
const others = fc.dictionary(
  fc.string().filter((name) => name !== 'hooks'),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 4, noNullPrototype: true },
);
const settings: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(others, fc.option(hooks), others)
  .map(([before, found, after]) => ({ ...before, ...(found === null ? {} : { hooks: found }), ...after }))
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
  // Code that reads it back into an object would lose such a name.
  .filter((value) => !JSON.stringify(value).includes('__proto__'));

/** `gap` is called for each place where blanks are allowed. */
function write(value: unknown, gap: () => string): string {
  const list = (open: string, items: readonly string[], close: string): string =>
    `${open}${gap()}${items.join(`${gap()},${gap()}`)}${gap()}${close}`;
  if (Array.isArray(value))
    return list(
      '[',
      value.map((item) => write(item, gap)),
      ']',
    );
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}${gap()}:${gap()}${write(item, gap)}`,
  );
  return list('{', members, '}');
}
