/** What a tool was called with, in one short line. Agents give the same tools different names and fields. */

type Fields = readonly (readonly [field: string, chars: number])[];

const FILE: Fields = ['file_path', 'path', 'filePath', 'absolute_path'].map((field) => [field, 80]);
const COMMAND: Fields = ['command', 'cmd', 'description'].map((field) => [field, 60]);
const PATTERN: Fields = ['pattern', 'filePattern'].map((field) => [field, 40]);
const TASK: Fields = [['description', 40]];
const PAGE: Fields = [['url', 50]];
const QUERY: Fields = ['query', 'objective', 'pattern'].map((field) => [field, 50]);

const FIELDS = new Map<string, Fields>([
  ...named(FILE, 'Read', 'read', 'read_file', 'view', 'look_at', 'ls', 'list_directory'),
  ...named(FILE, 'Write', 'write', 'write_file', 'create', 'create_file'),
  ...named(FILE, 'Edit', 'edit', 'edit_file', 'replace', 'undo_edit'),
  ...named(COMMAND, 'Bash', 'bash', 'run_shell_command', 'run_command', 'powershell'),
  ...named(PATTERN, 'Glob', 'glob', 'Grep', 'grep', 'grep_search', 'search_file_content', 'find'),
  ...named(TASK, 'Task', 'task', 'agent'),
  ...named(PAGE, 'WebFetch', 'webfetch', 'web_fetch', 'read_web_page'),
  ...named(QUERY, 'WebSearch', 'websearch', 'web_search', 'google_web_search', 'search'),
]);

export function inputSummary(tool: string, input: unknown): string {
  if (input === null || typeof input !== 'object') return '';
  const values = input as Readonly<Record<string, unknown>>;
  for (const [field, chars] of FIELDS.get(tool) ?? []) {
    const value = values[field];
    if (typeof value === 'string' && value !== '')
      return value.length > chars ? `${value.slice(0, chars - 3)}...` : value;
  }
  return '';
}

function named(fields: Fields, ...tools: readonly string[]): readonly (readonly [string, Fields])[] {
  return tools.map((tool) => [tool, fields]);
}
