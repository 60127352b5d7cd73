/** Database commands that destroy data, which no commit could restore. */
import { begins, block, byProgram, type Category, type Concern, first, type Seen, warn } from '../category.ts';
import { type Arg, type Command, hasWord, list, readOptions, table, textsOf } from '../command.ts';
import { zoneOf } from '../paths.ts';

/** Clients: their options that take a value, and those that take a statement. */
const CLIENTS = table<readonly [valued: string, statement: string]>({
  psql: ['-cdfhpUvo command dbname host file username', 'c command'],
  'mysql mariadb': ['-eDhuP execute database', 'e execute'],
  sqlcmd: ['-QqSUPd', 'Q q'],
  'clickhouse-client': ['-q query', 'q query'],
  cockroach: ['-e execute', 'e execute'],
  bq: ['', ''],
  duckdb: ['-c', 'c'],
});
const TOOL_WORDS =
  /^(?:db:drop(?::all)?|db:reset|db:wipe|db:purge|db:schema:load|migrate:fresh|migrate:reset|migrate:refresh|schema:drop|schema:wipe|db:migrate:reset|db:migrate:undo:all)$/;
const TOOLS = list(`
  rails rake artisan php sequelize sequelize-cli typeorm mikro-orm bundle symfony console doctrine adonis ace
  npx yarn mix
`);
/** The command on a separate line. */
const FLUSH = /^\s*flush(?:all|db)\b/im;
/** A separate word, or called from Lua. */
const FLUSH_WORD = /^flush(?:all|db)$|redis\.p?call\(\s*['"]flush/i;
const TEST_DATABASE = /^(?:test|tests|testing|tmp|temp)(?:[_-]|$)|[_-](?:test|tests|testing|tmp|temp)(?:[_-]?\d+)?$/;
const RESETS = block('resets the database');
const MONGO = /\bdropDatabase\s*\(|\.drop\s*\(\s*\)|\.(?:deleteMany|remove)\s*\(\s*\{\s*\}\s*\)/;

export const database: Category = {
  number: 16,
  name: 'database',
  instead: 'Use a test database, or select the rows with WHERE.',
  holdsInContainers: true,
  look: byProgram(
    {
      'sqlite3 sqlite': destroysFile,
      'mongo mongosh': ({ words, input }) =>
        [...words, input.text ?? ''].some((text) => MONGO.test(text))
          ? block('deletes a whole collection or database')
          : null,
      'redis-cli valkey-cli keydb-cli': (command) =>
        hasWord(command.words, FLUSH_WORD) || FLUSH.test(command.input.text ?? '') ? block('empties the store') : null,
      'nc ncat telnet': ({ input }) => (FLUSH.test(input.text ?? '') ? block('empties a store') : null),
      'dropdb dropuser': dropsDatabase,
      mysqladmin: (command, seen) => (command.words.includes('drop') ? dropsDatabase(command, seen) : null),
      prisma: ({ words: [verb, object], words }) =>
        (verb === 'migrate' && object === 'reset') || (verb === 'db' && words.includes('--force-reset'))
          ? RESETS
          : null,
      supabase: begins('db reset', RESETS),
    },
    (command, seen) => usesClient(command, seen) ?? usesTool(command),
  ),
};

function usesClient(command: Command, seen: Seen): Concern | null {
  const client = CLIENTS.get(command.name);
  if (client === undefined) return null;
  const options = readOptions(command.args, client[0]);
  return destroys([...options.values(...list(client[1])), ...options.operands], command, seen);
}

function destroys(statements: readonly Arg[], command: Command, seen: Seen): Concern | null {
  // A script file that an earlier command wrote is read like one from stdin.
  const files = readOptions(command.args, '-f file').values('f', 'file');
  const scripts = files.map(({ text }) => seen.written(text, command.cwd)?.text ?? '');
  const own = createdBefore(command, seen);
  const found = first([
    ...statements.map(({ text }) => destroyedBy(text, [...own, ...createdBy(text)])),
    // A client continues after an error, so what such a script creates may have existed before.
    ...[...scripts, command.input.text ?? ''].map((sql) => destroyedBy(sql, own)),
  ]);
  return found === null ? null : block(`destroys data (${found})`);
}

/** Allows a database that the same command created, and warns about one whose name says that it is for tests. */
function dropsDatabase(command: Command, seen: Seen): Concern | null {
  const { operands } = readOptions(command.args, '-hpUu host port username user maintenance-db');
  const names = namesOf(operands).filter((text) => text !== 'drop');
  const own = createdBefore(command, seen);
  const others = names.filter((name) => !own.includes(name));
  if (names.length > 0 && others.length === 0) return null;
  const shown = `deletes a database (${others.join(' ')})`;
  return others.length > 0 && others.every((name) => TEST_DATABASE.test(name)) ? warn(shown) : block(shown);
}

/** What was certainly created if this command runs at all: `createdb x && … && dropdb x`. */
function createdBefore(command: Command, seen: Seen): string[] {
  return seen.before(command).flatMap((each) => {
    if (each.chain !== command.chain) return [];
    const { name, args, words, input } = each;
    if (name === 'createdb') return namesOf(readOptions(args, '-hpUTOE').operands.slice(0, 1));
    if (name === 'mysqladmin' && words.includes('create')) return namesOf(args);
    return CLIENTS.has(name) ? [...words, input.text ?? ''].flatMap(createdBy) : [];
  });
}

function namesOf(args: readonly Arg[]): string[] {
  return textsOf(args).map((text) => text.toLowerCase());
}

/** A database file of the project can be created again, so this is only a warning. */
function destroysFile(command: Command, seen: Seen): Concern | null {
  const [file, ...statements] = readOptions(command.args, 'cmd separator', 'single-dash').operands;
  const found = destroys(statements, command, seen);
  if (found === null) return null;
  const path = file?.text ?? ':memory:';
  const isOurs = path === ':memory:' || ['project', 'temporary'].includes(zoneOf(path, command.cwd, seen));
  return isOurs ? warn(found.why) : found;
}

function usesTool({ name, words }: Command): Concern | null {
  if (TOOLS.includes(name) && hasWord(words, TOOL_WORDS)) return block(`wipes a database (${words.join(' ')})`);
  const [first = '', second = ''] = words;
  const isPython = /^python[\d.]*$/.test(name) && first.endsWith('manage.py');
  const isDjango = isPython || name === 'django-admin' || name === 'manage.py';
  const verb = isPython ? second : first;
  const wipes = isDjango ? verb === 'flush' || verb === 'reset_db' : name === 'mix' && first === 'ecto.drop';
  return wipes ? block('wipes a database') : null;
}

/** Text after this length is not checked. */
const LONGEST = 50_000;
const KINDS = /^(?:DATABASE|SCHEMA|TABLE|TABLESPACE|OWNED|ROLE|USER)$/;

/** What the SQL destroys, or null. `own`: lower-case names of what the same command created and may destroy. */
function destroyedBy(sql: string, own: readonly string[]): string | null {
  return first(statementsOf(sql).map((words) => destroyedByStatement(words, own)));
}

function createdBy(sql: string): string[] {
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

/** With `IF NOT EXISTS`, the object may be older, so it does not count as ours. */
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

/** Each statement as its words, in upper case. */
function statementsOf(sql: string): string[][] {
  const bare = sql.slice(0, LONGEST).replaceAll(/--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'/gs, ' ');
  return bare.split(';').map((statement) => statement.toUpperCase().split(/\s+/).filter(Boolean));
}
