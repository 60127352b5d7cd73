/** Data that no commit brings back. */
import { block, type Category, type Concern, type Context, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions, type Shape } from '../options.ts';
import { zoneOf } from '../paths.ts';
import { destroyedBy } from '../sql.ts';

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
const MONGO = /\bdropDatabase\s*\(|\.drop\s*\(\s*\)|\.(?:deleteMany|remove)\s*\(\s*\{\s*\}\s*\)/;

export const database: Category = {
  number: 16,
  name: 'database',
  instead: 'Use a database of the tests’ own, or name the rows with WHERE.',
  holdsInContainers: true,
  look(command, context) {
    const words = command.args.map(({ text }) => text);
    const client = Object.hasOwn(CLIENTS, command.name) ? CLIENTS[command.name] : undefined;
    if (client !== undefined) {
      const options = readOptions(command.args, client);
      return destroys(
        [...options.values(...client.statement), ...options.operands].map(({ text }) => text),
        command,
      );
    }
    switch (command.name) {
      case 'sqlite3':
      case 'sqlite':
        return destroysFile(command, context);
      case 'mongo':
      case 'mongosh':
        return [...words, command.input.text ?? ''].some((text) => MONGO.test(text))
          ? block('deletes a whole collection or database')
          : null;
      case 'redis-cli':
      case 'valkey-cli':
        return words.some((text) => /^flush(?:all|db)$/i.test(text)) ? block('empties the store') : null;
      case 'dropdb':
      case 'dropuser':
        return block(`deletes a database (${words.join(' ')})`);
      case 'mysqladmin':
        return words.includes('drop') ? block('deletes a database') : null;
      case 'prisma':
        return usesPrisma(words);
      case 'supabase':
        return words[0] === 'db' && words[1] === 'reset' ? block('resets the database') : null;
      default:
        return usesTool(command, words);
    }
  },
};

function destroys(statements: readonly string[], command: Command): Concern | null {
  for (const sql of [...statements, command.input.text ?? '']) {
    const found = destroyedBy(sql);
    if (found !== null) return block(`destroys data (${found})`);
  }
  return null;
}

/** A file of the project's own can be made again; it is worth a word all the same. */
function destroysFile(command: Command, context: Context): Concern | null {
  const [file, ...statements] = readOptions(command.args, { isSingleDash: true, names: ['cmd', 'separator'] }).operands;
  const found = destroys(
    statements.map(({ text }) => text),
    command,
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
