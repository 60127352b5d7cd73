/** The lines about a proof: what ran in the clean checkout, and the verdict. */

import { plural } from '../../core/budget/usage.ts';
import { describeOutcome, hasPassed } from '../../core/check.ts';
import { MARKS } from '../../core/closing/closing-summary.ts';
import { isEmpty, provedWords } from '../../core/proof/claims.ts';
import {
  type BaseGave,
  type BaseProof,
  type CleanRun,
  commandOfFinding,
  holds,
  type Proof,
  type ProofRun,
  type ProvedCheck,
  treeWords,
  uncountedWords,
  wordsOfFinding,
} from '../../core/proof/proof.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { Mask } from '../../core/text/mask.ts';
import { wrap } from '../../core/text/wrap.ts';
import type { Paint } from '../../views/paint.ts';
import { checkLine, failureLines, inOneLine, secondsOf } from '../../views/verdict-lines.ts';

interface Look {
  readonly cwd: string;
  readonly mask: Mask;
  readonly paint: Paint;
  readonly width: number;
}

/** Dim, because nothing of it is a verdict yet. */
export function baseProofLines(gave: BaseGave, { mask, paint, width }: Look): string[] {
  if ('impossible' in gave) return [];
  const { setup, checks } = gave;
  const runs = [
    ...(setup === null ? [] : [baseWords(setup, mask)]),
    // Later numbers of tests are compared with this one.
    ...checks.map((check) => linesOf(baseWords(check, mask), countWords(check)).join(', ')),
  ];
  const took = secondsOf(runsOf(gave).reduce((sum, { durationMs }) => sum + durationMs, 0));
  const line = `  clean checkout before the first iteration: ${runs.join(' · ') || 'nothing to run'} (${took})`;
  return [...wrap(line, '', '    ', width).map((one) => paint('dim', one)), ...ignoredLines(gave, { paint, width })];
}

/** Warns of tests that git ignores: the checks can pass without them, so only the reader knows if they matter. */
function ignoredLines({ ignored = [] }: BaseProof, { paint, width }: Pick<Look, 'paint' | 'width'>): string[] {
  if (ignored.length === 0) return [];
  const named = ignored.slice(0, MOST_NAMED).map(inOneLine).join(', ');
  const files = `${ignored.length > MOST_NAMED ? 'such as ' : ''}${named}`;
  const what = `the clean checkout does not have tests that git ignores: ${files}. To run them there, name them in .worktreeinclude or proof.include.`;
  return wrap(`${MARKS['needs-you']} ${what}`, '  ', '    ', width).map((one) => paint('yellow', one));
}

const MOST_NAMED = 5;

function baseWords({ command, outcome }: ProofRun, mask: Mask): string {
  const is = hasPassed({ outcome }) ? MARKS.done : `${MARKS.failed} ${describeOutcome(outcome)}`;
  return `${mask(inOneLine(command))} ${is}`;
}

/** Only for a check that passed: a failed one has already named its tests. */
function countWords(check: ProvedCheck): string | false {
  const { tests, outcome } = check;
  if (tests === undefined || outcome.is !== 'passed') return uncountedWords(check) ?? false;
  return plural(tests.passed + tests.skipped, 'test');
}

export function proofLines(proof: Proof, expected: string, look: Look): string[] {
  const { mask, paint, width } = look;
  const commands = runsOf(proof).map(({ command }) => mask(command));
  const rows = runsOf(proof).flatMap((run, index) => {
    const checked = { ...run, index, outcome: shownOutcome(run) };
    const failed = run.failed === undefined ? [] : [{ ...run, ...run.failed, index }];
    return [...failed, checked].flatMap((one) => [
      checkLine(one, commands, paint, width),
      ...failureLines(one, look.cwd, look),
    ]);
  });
  const where = proof.at === null ? [] : [paint('dim', `  in a clean checkout of ${treeWords(proof.at)}:`)];
  const pinned = proof.pinned === null ? [] : pinnedLines(proof.pinned, look);
  return [...(rows.length === 0 ? [] : where), ...rows, ...pinned, ...verdictLines(proof, expected, look)];
}

function pinnedLines({ changed, ...run }: NonNullable<Proof['pinned']>, look: Look): string[] {
  const { mask, paint, width } = look;
  const commands = runsOf(run).map(({ command }) => mask(command));
  const files = `${plural(changed.length, 'file')} as at the start: ${changed.map(inOneLine).join(', ')}`;
  const head = `  again, with ${changed.length === 0 ? 'the tests from the start alone:' : files}`;
  const rows = runsOf(run).flatMap((one, index) => {
    const checked = { ...one, index };
    return [checkLine(checked, commands, paint, width), ...failureLines(checked, look.cwd, look)];
  });
  return [...wrap(head, '', '    ', width).map((line) => paint('dim', line)), ...rows];
}

function verdictLines(proof: Proof, expected: string, { mask, paint, width }: Look): string[] {
  if (isEmpty(proof)) {
    const why = proof.checks.length === 0 ? 'there are no checks to run' : 'no check counts';
    return [paint('yellow', `${MARKS['needs-you']} ${why}: nothing was proved`)];
  }
  if (holds(proof)) return [paint('green', `${MARKS.done} ${provedWords(proof)}`)];
  const findings = proof.findings.map((finding) => {
    const command = commandOfFinding(finding);
    return mask(inOneLine(`${command === null ? '' : `${command}: `}${wordsOfFinding(finding, proof.at)}`));
  });
  const line = `${MARKS.failed} ${expected} rejected: ${findings.join('. ')}.`;
  return wrap(line, '', '  ', width).map((one) => paint('red', one));
}

type ShownRun = ProofRun & Pick<ProvedCheck, 'tests' | 'failed'>;

const runsOf = ({ setup, checks }: CleanRun): readonly ShownRun[] => (setup === null ? checks : [setup, ...checks]);

/** A check that passed shows how many tests there were, if that is known. */
function shownOutcome({ outcome, tests }: ShownRun): ProofRun['outcome'] {
  if (outcome.is !== 'passed' || tests === undefined || outcome.how !== undefined) return outcome;
  const { passed, skipped } = tests;
  return { is: 'passed', how: `${plural(passed, 'test')}${skipped === 0 ? '' : `, ${skipped} skipped`}` };
}
