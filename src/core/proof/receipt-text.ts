/** A receipt in words: rows for a terminal, Markdown for a pull request, one line for a commit message. Pure. */
import { costText, plural } from '../budget/usage.ts';
import { MARKS } from '../closing/closing-summary.ts';
import { linesOf } from '../text/lines-of.ts';
import { escapeMarkdown as escaped } from '../text/markdown.ts';
import { namesOf } from './names-of.ts';
import {
  type GitTree,
  placeWords,
  type Receipt,
  type ReceiptCheck,
  type ReceiptPredicate,
  type ReceiptReview,
  type ReceiptRun,
} from './receipt.ts';
import type { TestCounts } from './test-case.ts';

/** The first line, which says whether the work was proved or only checked. */
export function verdictLine(predicate: ReceiptPredicate): string {
  const words = verdictWords(predicate);
  return `${MARKS[predicate.isProved ? 'done' : 'needs-you']} ${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

export function verdictWords({ isProved, at, checks }: ReceiptPredicate): string {
  if (checks.length === 0) return `nothing was checked (${placeWords(at)})`;
  if (isProved) return `proved in a clean checkout of ${placeWords(at)}`;
  return `checked in the agent's work tree, not proved (${placeWords(at)})`;
}

/** `exit 0, 31 tests` */
export function resultWords({ outcome, how, exitCode, tests = null }: Resulting): string {
  if (outcome !== 'passed') return how;
  const words = linesOf(exitCode !== null && `exit ${exitCode}`, tests !== null && testWords(tests));
  return words.length === 0 ? 'passed' : words.join(', ');
}

type Resulting = Pick<ReceiptRun, 'outcome' | 'how' | 'exitCode'> & { readonly tests?: TestCounts | null };

const testWords = ({ passed, skipped }: TestCounts): string =>
  `${plural(passed, 'test')}${skipped === 0 ? '' : `, ${skipped} skipped`}`;

/** Further notes on a check. */
function notesOf(
  { check, tests, outcome, atStart, testsAtStart, isWitness, isFlaky, isExcused }: ReceiptCheck,
  isProved: boolean,
): string[] {
  return linesOf(
    isProved && check === null && tests === null && outcome === 'passed' && 'exit code only, tests not counted',
    atStart === 'passed' && 'passed before the work, too',
    atStart !== null && atStart !== 'passed' && 'red before the work',
    // Without a count from the start, tests may be gone unnoticed.
    testsAtStart === null && tests !== null && 'tests not counted before the work',
    testsAtStart != null && tests === null && 'tests counted before the work only',
    isWitness && 'witness',
    isFlaky && (isExcused ? 'flaky' : 'flaky: failed, then passed'),
    isExcused && 'does not count',
  );
}

/** The rows worth showing, each with its name. */
export function receiptRows({ predicate }: Receipt): (readonly [name: string, words: string])[] {
  const { loop, checks, checksAtStart } = predicate;
  const rows: readonly (readonly [string, string | false])[] = [
    ['task', loop.task ?? false],
    ...criteriaRows(predicate),
    ...runRows(predicate),
    ['checks', checks.length === 0 && 'none: nothing was checked'],
    ['at start', checksAtStart !== undefined && `other checks: ${checksAtStart.join(', ') || 'none'}`],
    ...pinRows(predicate),
    ['review', predicate.review !== null && reviewWords(predicate.review)],
    ['base', predicate.base !== null && placeWords(predicate.base)],
    ['loop', loopWords(predicate)],
  ];
  return rows.flatMap(([name, words]) => (words === false ? [] : [[name, words] as const]));
}

/** A criterion that is only the task has its own row already. */
function criteriaRows({ criteria = [] }: ReceiptPredicate): (readonly [string, string])[] {
  const named = criteria.filter(({ id }) => id !== null);
  return named.map(({ id, text, acceptanceCriteria }, index) => {
    const words = [`${id ?? ''} ${text}`, ...(acceptanceCriteria.length === 0 ? [] : [acceptanceCriteria.join('; ')])];
    return [index === 0 ? 'criteria' : '', words.join(': ')];
  });
}

function runRows({ setup, checks, isProved }: ReceiptPredicate): (readonly [string, string])[] {
  const run = (one: ReceiptRun | ReceiptCheck): string => `${one.command}: ${resultWords(one)}`;
  const row = (one: ReceiptCheck) => ['check', [run(one), ...notesOf(one, isProved)].join('; ')] as const;
  return [...(setup === null ? [] : [['setup', run(setup)] as const]), ...checks.map(row)];
}

function pinRows({ isProved, pinned, pins, terms }: ReceiptPredicate): (readonly [string, string])[] {
  if (!isProved) return [];
  const allowed = terms?.allowEdit ?? [];
  const free = `the agent was allowed to change ${namesOf(allowed)} (--allow-edit)`;
  const freed = allowed.length === 0 ? [] : [['', free] as const];
  const files = plural(Object.keys(pins.files).length, 'file');
  const none = `none changed${allowed.length === 0 ? '' : ', apart from what was freed'}`;
  return [...rowsOfPins(pinned, files, none), ...freed];
}

function rowsOfPins(pinned: ReceiptPredicate['pinned'], count: string, none: string): (readonly [string, string])[] {
  if (pinned === null) return [['pinned', `${count}, ${none}`]];
  const again = pinned.checks.map((one) => `${one.command}: ${resultWords(one)}`).join('; ');
  // New tests are allowed, but those of the start have to pass without them.
  if (pinned.changed.length === 0) {
    return [
      ['pinned', `${count}, ${none}`],
      ['', `the tests of the start alone: ${again}`],
    ];
  }
  return [
    ['pinned', `${count}; changed: ${namesOf(pinned.changed)}`],
    ['', `with those as at the start: ${again}`],
  ];
}

const reviewWords = ({ by, verdict }: ReceiptReview): string => `${verdict} by ${by ?? 'an agent'}`;

function loopWords({ loop }: ReceiptPredicate): string {
  const { id, kind, agent, models, iterations, cost } = loop;
  const { usd, source, isComplete } = cost;
  const isEstimated = source === 'estimated' || source === 'both';
  return linesOf(
    `${id} (${kind})`,
    agent !== null && `${agent}${models.length === 0 ? '' : ` (${models.join(', ')})`}`,
    plural(iterations, 'iteration'),
    usd === null ? 'cost unknown' : costText(usd, { isEstimated, isAtLeast: !isComplete }),
  ).join(', ');
}

export function markdownReceipt(receipt: Receipt): string {
  const { checks, at, isProved } = receipt.predicate;
  const heads = ['check', 'result', 'before the work', 'log'];
  const table = [heads, heads.map(() => '---'), ...checks.map((check) => cellsOf(check, isProved))].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
  const others = receiptRows(receipt).filter(([name]) => name !== 'check');
  const list = others.map(([name, words]) =>
    name === '' ? `  - ${escaped(words)}` : `- **${name}**: ${escaped(words)}`,
  );
  const where = isProved
    ? []
    : ['', 'The checks ran where the agent works. What they say was not proved in a clean checkout.'];
  const parts = [
    `### ${verdictLine(receipt.predicate)}`,
    ...where,
    '',
    ...(checks.length === 0 ? [] : [...table, '']),
    ...list,
    `- **${nameOf(at)}**: \`${at.commit ?? at.tree ?? ''}\``,
  ];
  return `${parts.join('\n')}\n`;
}

const nameOf = ({ commit }: GitTree): string => (commit === null ? 'tree' : 'commit');

function cellsOf(check: ReceiptCheck, isProved: boolean): string[] {
  const { command, atStart, log } = check;
  const notes = notesOf({ ...check, atStart: null }, isProved);
  return [
    escaped(command),
    [escaped(resultWords(check)), ...notes.map(escaped)].join('; '),
    atStart === null ? '–' : atStart === 'passed' ? 'passed' : 'red',
    log === null ? '–' : `\`sha256:${log.sha256.slice(0, 12)}\``,
  ];
}

/** A git trailer. `sha256`: the digest of the receipt's JSON, byte for byte. */
export function trailerOf({ predicate }: Receipt, sha256: string): string {
  const { isProved, at, checks } = predicate;
  const counted = checks.filter(({ tests }) => tests !== null);
  const tests = counted.reduce((sum, one) => sum + (one.tests?.passed ?? 0), 0);
  const words = linesOf(
    at.commit ?? `tree:${at.tree ?? ''}`,
    `checks=${checks.length}`,
    counted.length > 0 && `tests=${tests}`,
    `receipt=sha256:${sha256}`,
  );
  return `${isProved ? 'Ralph-Proof' : 'Ralph-Checked'}: ${words.join(' ')}`;
}
