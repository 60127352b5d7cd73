/** What a tool was called with, in one short line. */

const FIELDS: Readonly<Record<string, readonly (readonly [field: string, chars: number])[]>> = {
  Read: [['file_path', 80]],
  Write: [['file_path', 80]],
  Edit: [['file_path', 80]],
  Bash: [
    ['command', 60],
    ['description', 60],
  ],
  Glob: [['pattern', 40]],
  Grep: [['pattern', 40]],
  Task: [['description', 40]],
  WebFetch: [['url', 50]],
  WebSearch: [['query', 50]],
};

export function inputSummary(tool: string, input: unknown): string {
  if (input === null || typeof input !== 'object') return '';
  const values = input as Readonly<Record<string, unknown>>;
  const fields = Object.hasOwn(FIELDS, tool) ? FIELDS[tool] : undefined;
  for (const [field, chars] of fields ?? []) {
    const value = values[field];
    if (typeof value === 'string' && value !== '')
      return value.length > chars ? `${value.slice(0, chars - 3)}...` : value;
  }
  return '';
}
