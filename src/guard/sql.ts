/** Which statements of SQL destroy: read word by word, without comments and strings. */

/** What comes later in a long text is not looked at. */
const LONGEST = 50_000;
const KINDS = /^(?:DATABASE|SCHEMA|TABLE|TABLESPACE|OWNED|ROLE|USER)$/;

/** What it destroys, or null. What the same command has created, by its name in lower case, may go again. */
export function destroyedBy(sql: string, own: readonly string[]): string | null {
  for (const words of statementsOf(sql)) {
    const found = destroyedByStatement(words, own);
    if (found !== null) return found;
  }
  return null;
}

/** The names, in lower case, of what it creates. */
export function createdBy(sql: string): string[] {
  return statementsOf(sql).flatMap(createdByStatement);
}

function destroyedByStatement(words: readonly string[], own: readonly string[]): string | null {
  const [first, second = '', third] = words;
  const unlessOwn = (word: string | undefined, what: string) =>
    word !== undefined && namesIn([word]).every((name) => own.includes(name)) ? null : what;
  const isBounded = words.includes('WHERE');
  if (first === 'DROP' && KINDS.test(second)) {
    const names = namesIn(words.slice(2));
    return names.length > 0 && names.every((name) => own.includes(name)) ? null : `DROP ${second}`;
  }
  if (first === 'TRUNCATE') return unlessOwn(second === 'TABLE' ? third : words[1], 'TRUNCATE');
  if (first === 'DELETE' && second === 'FROM' && !isBounded && !words.includes('USING'))
    return unlessOwn(third, 'DELETE without WHERE');
  if (first === 'UPDATE' && words.includes('SET') && !isBounded) return unlessOwn(second, 'UPDATE without WHERE');
  return first === 'ALTER' && words.includes('DROP') && words.includes('COLUMN') ? 'ALTER … DROP COLUMN' : null;
}

/** `CREATE TEMP TABLE IF NOT EXISTS` may be older: then it is not ours. */
function createdByStatement(words: readonly string[]): string[] {
  if (words[0] !== 'CREATE' || words.includes('EXISTS')) return [];
  const at = words.findIndex((word) => KINDS.test(word));
  return at === -1 ? [] : namesIn(words.slice(at + 1, at + 2));
}

function namesIn(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    if (/^(?:IF|EXISTS|CASCADE|RESTRICT|WITH|FORCE)$/.test(word)) return [];
    const bare = word.replaceAll(/[\s"`]|\(.*$/g, '').toLowerCase();
    return bare.split(',').filter(Boolean);
  });
}

/** Each as its words, in upper case. */
function statementsOf(sql: string): string[][] {
  const bare = sql.slice(0, LONGEST).replaceAll(/--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'/gs, ' ');
  return bare.split(';').map((statement) => statement.toUpperCase().split(/\s+/).filter(Boolean));
}
