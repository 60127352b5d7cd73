/** The schema of a receipt, with messages for what is wrong in one. The shipped JSON Schema is generated from it. */
import * as z from 'zod/mini';
import { RalphError } from '../../core/error.ts';
import { RECEIPT_TYPE, type Receipt, STATEMENT_TYPE } from '../../core/proof/receipt.ts';
import { parsedJson } from '../../core/text/json.ts';

const text = (what: string) => z.string().check(z.describe(what));
const filled = (what: string) => text(what).check(z.minLength(1));
const matching = (pattern: RegExp, what: string) => z.string().check(z.regex(pattern), z.describe(what));
const count = (what: string) => z.int().check(z.nonnegative(), z.describe(what));
const flag = (what: string) => z.boolean().check(z.describe(what));
const texts = (what: string) => z.array(z.string()).check(z.describe(what));

/** A SHA-1 or SHA-256 name: nothing else in a receipt reaches git as the name of an object. */
const object = (what: string) => matching(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, what);
const sha256 = (what: string) => matching(/^[0-9a-f]{64}$/, what);

/** Unknown fields are ignored: others may add some. */
const loose = z.looseObject;

const tree = loose({
  commit: z.nullable(object('The commit; null if the files were not committed.')),
  tree: z.nullable(object('The git tree of the files; null if only the commit is known.')),
});

const outcome = z.enum(['passed', 'failed', 'unrunnable', 'timed-out', 'unseen']);

const ofRun = {
  command: filled('The command, or the name of a check that is not a command.'),
  outcome: outcome.check(z.describe('The result.')),
  how: text('The result in words, such as "exit 1" or "2 of 12 tests failed".'),
  exitCode: z.nullable(
    z.int().check(z.describe('The exit code; null for a check that is not a command, or if the exit code is unknown.')),
  ),
  log: z.nullable(loose({ sha256: sha256('The SHA-256 of the output.') })),
};

const run = loose(ofRun);

const given = z.record(z.string(), z.union([z.string(), z.int(), z.boolean(), z.array(z.string())]));

const counts = loose({
  passed: count('How many tests passed.'),
  failed: count('How many tests failed.'),
  skipped: count('How many tests were skipped.'),
});

const check = loose({
  ...ofRun,
  check: z
    .nullable(loose({ kind: filled('The kind of the check.'), given }))
    .check(z.describe('The configuration of the check; null for a plain command.')),
  timeoutMs: z.nullable(
    z.int().check(z.positive(), z.describe('The time limit in milliseconds; null if there was none.')),
  ),
  tests: z
    .nullable(counts)
    .check(z.describe('How many tests ran, from the report of the test runner; null without a readable report.')),
  atStart: z.nullable(outcome).check(z.describe('The result before the work began; null if unknown.')),
  testsAtStart: z
    .optional(z.nullable(counts))
    .check(z.describe('How many tests ran before the work began; null if none were reported, absent if unknown.')),
  isWitness: flag('Whether the check had to fail before the work began.'),
  isFlaky: flag('Whether the check failed and then passed on the same files.'),
  isExcused: flag('Whether the check already failed before the work began and so did not count.'),
});

/** Must not lead out of a checkout. */
const folder = matching(
  /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\0]*$/,
  'The folder, relative to the root of the repository, in which the checks ran; empty for the root.',
);

const loop = loose({
  id: filled('The id of the loop.'),
  kind: filled('The kind of loop, such as run or stories.'),
  release: text('The version of ralph that started the loop.'),
  task: z.nullable(text('The first line of the prompt.')),
  startedAt: text('When the loop started, as an RFC 3339 timestamp.'),
  endedAt: text('When the loop ended, as an RFC 3339 timestamp.'),
  iterations: count('How many iterations the loop took.'),
  agent: z.nullable(text('The command that starts the agent.')),
  models: texts('The models that were used, as reported by the agents.'),
  cost: loose({
    usd: z.nullable(z.number()),
    source: z
      .enum(['reported', 'estimated', 'both', 'unknown'])
      .check(z.describe('Where the cost comes from: reported by the agents, estimated from a price list, or both.')),
    isComplete: flag('Whether the cost of every run is known.'),
  }),
});

const predicate = loose({
  loop,
  isProved: flag("True if the checks ran in a clean checkout; false if they ran in the agent's work tree."),
  folder,
  base: z.nullable(tree).check(z.describe('The commit and files that the loop started from; null if unknown.')),
  at: tree.check(
    z.refine(({ commit, tree: files }) => commit !== null || files !== null, {
      error: 'names neither a commit nor a tree',
    }),
    z.describe('The commit and files that were checked.'),
  ),
  setup: z.nullable(run).check(z.describe('The command that prepared the checkout; null if there was none.')),
  criteria: z.optional(
    z
      .array(
        loose({
          id: z.nullable(text('The id of the story; null for a loop without stories.')),
          text: text('The title of the story, or the first line of the task.'),
          acceptanceCriteria: texts("The story's acceptance criteria."),
          checks: texts('The commands of the checks that counted for this criterion.'),
        }),
      )
      .check(z.describe('What the work had to satisfy.')),
  ),
  checks: z.array(check).check(z.describe('The checks that were run, with their results.')),
  checksAtStart: z.optional(
    texts('The commands of the checks when the loop started; present only if the user has since allowed others.'),
  ),
  pinned: z
    .nullable(
      loose({
        changed: texts('The pinned files that were changed.'),
        setup: z.nullable(run),
        checks: z.array(check),
      }),
    )
    .check(
      z.describe(
        'The checks, run again with the original versions of the pinned files; null if that was not necessary.',
      ),
    ),
  review: z
    .nullable(
      loose({
        by: z.nullable(text('The agent that reviewed the work; null if unknown.')),
        verdict: z
          .enum(['approved', 'rejected', 'none'])
          .check(z.describe('The verdict; "none" if there was none, or none that counts.')),
      }),
    )
    .check(z.describe('The last review by another agent; null if there was none.')),
  terms: z
    .nullable(
      loose({
        include: texts('Ignored files that the checks need, as .gitignore patterns.'),
        pins: texts('Additional pinned files, as git pathspecs.'),
        allowEdit: texts('Pinned files that the agent was allowed to change, as git pathspecs.'),
        acceptFlaky: flag('Whether a check that failed and then passed counted as passed.'),
      }),
    )
    .check(z.describe('The options of the proof; null if there was no proof.')),
  pins: loose({
    files: z
      .record(z.string(), object('The git blob of the file when the loop started.'))
      .check(z.describe('The tests and the files that control them, as they were when the loop started.')),
    settings: z
      .record(z.string(), z.nullable(sha256('The SHA-256 of the file when the loop started.')))
      .check(z.describe('The settings files as they were when the loop started; null for a file that did not exist.')),
  }),
});

const statement = loose({
  _type: z.literal(STATEMENT_TYPE),
  subject: z
    .readonly(
      z.array(
        loose({
          name: text('The name of the repository.'),
          digest: z.union([loose({ gitCommit: object('The commit.') }), loose({ gitTree: object('The tree.') })]),
        }),
      ),
    )
    .check(z.describe('What was checked: the commit, or the git tree if the files were not committed.')),
  predicateType: z.literal(RECEIPT_TYPE),
  predicate,
});

export function receiptJsonSchema(): object {
  const schema = z.toJSONSchema(statement, { io: 'input' });
  return { title: 'A ralph receipt: an in-toto Statement that says what was checked and with what result.', ...schema };
}

/** Refuses text that is not a receipt, and a receipt that contradicts itself about what was checked. */
export function parseReceipt(content: string, file: string): Receipt {
  const read = parsedJson(content);
  if (read === undefined) throw notReceipt(file, 'it is not JSON');
  const parsed = statement.safeParse(read);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') || 'it';
    throw notReceipt(file, `${where}: ${issue?.message ?? 'not understood'}`);
  }
  const receipt: Receipt = parsed.data;
  const { commit, tree: files } = receipt.predicate.at;
  const named = receipt.subject.map(({ digest }) => ('gitCommit' in digest ? digest.gitCommit : digest.gitTree));
  if (named.length !== 1 || named[0] !== (commit ?? files)) {
    throw notReceipt(file, 'its subject is not what its predicate was checked at');
  }
  return receipt;
}

function notReceipt(file: string, why: string): RalphError {
  const hint = 'Make one with: ralph receipt -o receipt.json';
  return new RalphError('RECEIPT', `${file} is not a receipt: ${why}`, { hint });
}
