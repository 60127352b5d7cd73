/**
 * Has a test runner that we know report its tests to a file, whatever else it prints. The command stays the user's; it
 * gets variables, or the runner's own flags where it is a plain call of it.
 */
import { join } from 'node:path';
import { isFields, parsedJson } from '../core/text/json.ts';
import { quoteWord } from '../core/text/quote-word.ts';

export interface ReportedCommand {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where the report will be; null for in the output. */
  readonly file: string | null;
}

/** `packageJson`: of the folder in which it runs. Null for a command whose tests are not known to be reported. */
export function switchOnReport(command: string, packageJson: string | null, folder: string): ReportedCommand | null {
  const file = join(folder, 'tests.xml');
  const json = join(folder, 'tests.json');
  const script = scriptOf(command, packageJson);
  const whole = script?.line ?? command;
  // Of two runs the second would write over the report of the first, which may be the only one while that fails.
  const isOne = (call: RegExp): boolean => [...whole.matchAll(call)].length === 1;
  if (isOne(/\b(?:node|tsx)\b[^|;&]*?\s--test(?![\w-])/g)) {
    return { command, env: { NODE_OPTIONS: nodeReporters(file, whole) }, file };
  }
  if (isOne(/\b(?:pytest|py\.test|tox|nox)(?= |$)/g)) {
    return { command, env: { PYTEST_ADDOPTS: `--junitxml=${quoteWord(file)}` }, file };
  }
  const isPlain = !/[|;&<>`$()]/.test(whole);
  if (!isPlain) return null;
  const flags = (words: string): string => `${command} ${script?.separator ?? ''}${words}`;
  if (isCallOf('vitest', whole)) {
    return {
      command: flags(`--reporter=default --reporter=junit --outputFile.junit=${quoteWord(file)}`),
      env: {},
      file,
    };
  }
  if (isCallOf('jest', whole)) {
    return { command: flags(`--json --outputFile=${quoteWord(json)}`), env: {}, file: json };
  }
  if (isCallOf('mocha', whole)) {
    return { command: flags(`--reporter json --reporter-option output=${quoteWord(json)}`), env: {}, file: json };
  }
  if (script === null && /^go test\b/.test(command)) {
    return { command: command.replace(/^go test\b/, 'go test -json'), env: {}, file: null };
  }
  if (
    script === null &&
    CARGO.test(command) &&
    !/\s(?:-q|--quiet|--no-run|--list)\b|--format|--message-format/.test(command)
  ) {
    return { command, env: {}, file: null };
  }
  return null;
}

const CARGO = /^cargo (?:\+\S+ )?test\b/;

/** Both: what a person reads goes on where it went. Node wants a destination for each, in the command or here. */
function nodeReporters(file: string, line: string): string {
  // Node takes a value with spaces in it in quotes.
  const to = (reporter: string, where: string): string =>
    `--test-reporter=${reporter} --test-reporter-destination=${where.includes(' ') ? JSON.stringify(where) : where}`;
  const [hasOwn, hasPlace] = [/--test-reporter[= ]/.test(line), line.includes('--test-reporter-destination')];
  if (hasPlace) return to('junit', file);
  return `${to('junit', file)} ${hasOwn ? '--test-reporter-destination=stdout' : to('spec', 'stdout')}`;
}

function isCallOf(runner: string, line: string): boolean {
  return new RegExp(
    String.raw`^(?:\w+=\S+ +)*(?:cross-env +(?:\w+=\S+ +)*)?(?:npx +(?:--no-install +)?|pnpm exec +|yarn +)?${runner}(?: |$)`,
  ).test(line);
}

/** `npm test` and its like: what the script says, and what stands before flags that are meant for it. */
function scriptOf(
  command: string,
  packageJson: string | null,
): { readonly line: string; readonly separator: string } | null {
  const [, manager = '', name = 'test'] =
    /^(?:\w+=\S+ +)*(npm|pnpm|yarn)(?: +(?:run|run-script))? +([\w:.-]+)\s*$/.exec(command) ?? [];
  if (manager === '') return null;
  const fields = packageJson === null ? null : parsedJson(packageJson);
  const scripts = isFields(fields) && isFields(fields.scripts) ? fields.scripts : {};
  const line = scripts[name === 't' ? 'test' : name];
  return typeof line === 'string' ? { line, separator: manager === 'npm' ? '-- ' : '' } : null;
}
