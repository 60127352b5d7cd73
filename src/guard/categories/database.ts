/** Data that no commit brings back. */
import { block, type Category, type Concern, type Context, type Seen, warn } from '../category.ts';
import type { Arg, Command } from '../command.ts';
import { readOptions, type Shape } from '../options.ts';
import { zoneOf } from '../paths.ts';
import { createdBy, destroyedBy } from '../sql.ts';

/** Clients, and the options by which they take a statement. */
const CLIENTS: Readonly<Record<string, Shape & { readonly statement: readonly string[] }>> = {
  psql: { letters: 'cdfhpUvo', names: ['command', 'dbname', 'host', 'file', 'username'], statement: ['c', 'command'] },
  mysql: { letters: 'eDhuP', names: ['execute', 'database'], statement: ['e', 'execute'] },
  mariadb: { letters: 'eDhuP', names: ['execute', 'database'], statement: ['e', 'execute'] },
  sqlcmd: { letters: 'QqSUPd', names: [], statement: ['Q', 'q'] },
  'clickhouse-client': { letters: 'q', names: ['query'], statement: ['q', 'query'] },
  cockroach: { letters: 'e', names: ['execute'], statement: ['e', 'execute'] },
  bq: { names: [], statement: [] },
  duckdb: { letters: 'c', names: [], statement: ['c'] },
};
/** Words that make other tools wipe a database. */
const TOOL_WORDS =
  /^(?:db:drop(?::all)?|db:reset|db:wipe|db:purge|db:schema:load|migrate:fresh|migrate:reset|migrate:refresh|schema:drop|schema:wipe|db:migrate:reset|db:migrate:undo:all)$/;
const TOOLS = [
  'rails',
  'rake',
  'artisan',
  'php',
  'sequelize',
  'sequelize-cli',
  'typeorm',
  'mikro-orm',
  'bundle',
  'symfony',
  'console',
  'doctrine',
  'adonis',
  'ace',
  'npx',
  'yarn',
  'mix',
];
/** A command of its own, on a line of its own. */
const FLUSH = /^\s*flush(?:all|db)\b/im;
const TEST_DATABASE = /^(?:test|tests|testing|tmp|temp)(?:[_-]|$)|[_-](?:test|tests|testing|tmp|temp)(?:[_-]?\d+)?$/;
const MONGO = /\bdropDatabase\s*\(|\.drop\s*\(\s*\)|\.(?:deleteMany|remove)\s*\(\s*\{\s*\}\s*\)/;

export const database: Category = {
  number: 16,
  name: 'database',
  instead: 'Use a test database, or select the rows with WHERE.',
  holdsInContainers: true,
  look(command, context, seen) {
    const words = command.args.map(({ text }) => text);
    const client = Object.hasOwn(CLIENTS, command.name) ? CLIENTS[command.name] : undefined;
    if (client !== undefined) {
      const options = readOptions(command.args, client);
      return destroys(
        [...options.values(...client.statement), ...options.operands].map(({ text }) => text),
        command,
        seen,
      );
    }
    switch (command.name) {
      case 'sqlite3':
      case 'sqlite':
        return destroysFile(command, context, seen);
      case 'mongo':
      case 'mongosh':
        return [...words, command.input.text ?? ''].some((text) => MONGO.test(text))
          ? block('deletes a whole collection or database')
          : null;
      case 'redis-cli':
      case 'valkey-cli':
      case 'keydb-cli':
        return emptiesStore(words, command) ? block('empties the store') : null;
      case 'nc':
      case 'ncat':
      case 'telnet':
        return FLUSH.test(command.input.text ?? '') ? block('empties a store') : null;
      case 'dropdb':
      case 'dropuser':
        return dropsDatabase(command, seen);
      case 'mysqladmin':
        return words.includes('drop') ? dropsDatabase(command, seen) : null;
      case 'prisma':
        return usesPrisma(words);
      case 'supabase':
        return words[0] === 'db' && words[1] === 'reset' ? block('resets the database') : null;
      default:
        return usesTool(command, words);
    }
  },
};

function destroys(statements: readonly string[], command: Command, seen: Seen): Concern | null {
  // A script file that was written a moment ago is read like one from stdin.
  const files = readOptions(command.args, { letters: 'f', names: ['file'] }).values('f', 'file');
  const scripts = files.map(({ text }) => seen.written(text, command.cwd)?.text ?? '');
  const own = createdBefore(command, seen);
  const found = [
    ...statements.map((sql) => destroyedBy(sql, [...own, ...createdBy(sql)])),
    // A client goes on after an error: what such a script creates may have been there before.
    ...[...scripts, command.input.text ?? ''].map((sql) => destroyedBy(sql, own)),
  ].find((what) => what !== null);
  return found === undefined ? null : block(`destroys data (${found})`);
}

/** `FLUSHALL` as a word of its own, of a pipe, or called from Lua. */
function emptiesStore(words: readonly string[], command: Command): boolean {
  return (
    words.some((text) => /^flush(?:all|db)$/i.test(text) || /redis\.p?call\(\s*['"]flush/i.test(text)) ||
    FLUSH.test(command.input.text ?? '')
  );
}

/** A database that the same command made, or one whose name says that tests make it. */
function dropsDatabase(command: Command, seen: Seen): Concern | null {
  const { operands } = readOptions(command.args, {
    letters: 'hpUu',
    names: ['host', 'port', 'username', 'user', 'maintenance-db'],
  });
  const names = operands.map(({ text }) => text.toLowerCase()).filter((text) => text !== 'drop');
  const own = createdBefore(command, seen);
  const others = names.filter((name) => !own.includes(name));
  if (names.length > 0 && others.length === 0) return null;
  const shown = `deletes a database (${others.join(' ')})`;
  return others.length > 0 && others.every((name) => TEST_DATABASE.test(name)) ? warn(shown) : block(shown);
}

/** What must have been made for this command to run at all: `createdb x && … && dropdb x`. */
function createdBefore(command: Command, seen: Seen): string[] {
  return seen.before(command).flatMap((each) => {
    if (each.chain !== command.chain) return [];
    const words = each.args.map(({ text }) => text);
    if (each.name === 'createdb') return readOptions(each.args, { letters: 'hpUTOE' }).operands.slice(0, 1).map(lower);
    if (each.name === 'mysqladmin' && words.includes('create')) return words.map((text) => text.toLowerCase());
    return Object.hasOwn(CLIENTS, each.name) ? [...words, each.input.text ?? ''].flatMap(createdBy) : [];
  });
}

function lower({ text }: Arg): string {
  return text.toLowerCase();
}

/** A file of the project's own can be made again; it is worth a word all the same. */
function destroysFile(command: Command, context: Context, seen: Seen): Concern | null {
  const [file, ...statements] = readOptions(command.args, { isSingleDash: true, names: ['cmd', 'separator'] }).operands;
  const found = destroys(
    statements.map(({ text }) => text),
    command,
    seen,
  );
  if (found === null) return null;
  const isOurs =
    file === undefined ||
    file.text === ':memory:' ||
    ['project', 'temporary'].includes(zoneOf(file.text, command.cwd, context));
  return isOurs ? warn(found.why) : found;
}

function usesPrisma(words: readonly string[]): Concern | null {
  if (words[0] === 'migrate' && words[1] === 'reset') return block('resets the database');
  return words[0] === 'db' && words.includes('--force-reset') ? block('resets the database') : null;
}

function usesTool(command: Command, words: readonly string[]): Concern | null {
  if (TOOLS.includes(command.name) && words.some((text) => TOOL_WORDS.test(text)))
    return block(`wipes a database (${words.join(' ')})`);
  if (command.name === 'mix' && words[0] === 'ecto.drop') return block('wipes a database');
  const isDjango =
    (/^python[\d.]*$/.test(command.name) && words[0]?.endsWith('manage.py') === true) ||
    command.name === 'django-admin' ||
    command.name === 'manage.py';
  const verb = command.name.startsWith('python') ? words[1] : words[0];
  return isDjango && (verb === 'flush' || verb === 'reset_db') ? block('wipes a database') : null;
}
