/** Which statements of SQL destroy: read word by word, without comments and strings. */

/** What comes later in a long text is not looked at. */
const LONGEST = 50_000;

/** What it destroys, or null. */
export function destroyedBy(sql: string): string | null {
  for (const statement of statementsOf(sql.slice(0, LONGEST))) {
    const words = statement
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => word.toUpperCase());
    const found = destroyedByStatement(words);
    if (found !== null) return found;
  }
  return null;
}

function destroyedByStatement(words: readonly string[]): string | null {
  const [first, second] = words;
  if (first === 'DROP' && /^(?:DATABASE|SCHEMA|TABLE|TABLESPACE|OWNED|ROLE|USER)$/.test(second ?? ''))
    return `DROP ${second ?? ''}`;
  if (first === 'TRUNCATE') return 'TRUNCATE';
  if (first === 'DELETE' && second === 'FROM' && !words.includes('WHERE') && !words.includes('USING'))
    return 'DELETE without WHERE';
  if (first === 'UPDATE' && words.includes('SET') && !words.includes('WHERE')) return 'UPDATE without WHERE';
  if (first === 'ALTER' && words.includes('DROP') && words.includes('COLUMN')) return 'ALTER … DROP COLUMN';
  return null;
}

function statementsOf(sql: string): string[] {
  const bare = sql.replaceAll(/--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'/gs, ' ');
  return bare.split(';').map((statement) => statement.trim());
}
