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
  commit: z.nullable(object('A commit of the project; null if its files were never committed.')),
  tree: z.nullable(object('The tree of its files; null if only the commit is known.')),
});

const outcome = z.enum(['passed', 'failed', 'unrunnable', 'timed-out', 'unseen']);

const ofRun = {
  command: filled('The command, or what its kind of check calls it.'),
  outcome: outcome.check(z.describe('The outcome.')),
  how: text('The same for people: exit 1, 2 of 12 tests failed.'),
  exitCode: z.nullable(
    z.int().check(z.describe('Null for what is no command, and for one that was not seen to exit.')),
  ),
  log: z.nullable(loose({ sha256: sha256('Of everything that it printed.') })),
};

const run = loose(ofRun);

const given = z.record(z.string(), z.union([z.string(), z.int(), z.boolean(), z.array(z.string())]));

const counts = loose({ passed: count('Passed.'), failed: count('Failed.'), skipped: count('Skipped.') });

const check = loose({
  ...ofRun,
  check: z
    .nullable(loose({ kind: filled('The kind of the check.'), given }))
    .check(z.describe('What was asked of a check that is more than a command.')),
  timeoutMs: z.nullable(z.int().check(z.positive(), z.describe('It is ended after this long.'))),
  tests: z.nullable(counts).check(z.describe('Null if its runner reports nothing that can be read.')),
  atStart: z.nullable(outcome).check(z.describe('What it said before the work began; null if that is not known.')),
  testsAtStart: z
    .optional(z.nullable(counts))
    .check(
      z.describe(
        'Its tests before the work began; null if none were reported, absent if it is not known what it said.',
      ),
    ),
  isWitness: flag('It had to fail before the work began.'),
  isFlaky: flag('It failed, and then passed on the same files.'),
  isExcused: flag('It was red before the work began, and did not count.'),
});

/** Must not lead out of a checkout. */
const folder = matching(
  /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\0]*$/,
  'The folder of the checks in the repository; empty for its top.',
);

const loop = loose({
  id: filled('The id of the loop.'),
  kind: filled('Its kind: run, stories …'),
  release: text('The release of ralph that began it.'),
  task: z.nullable(text('The first line of what the agent was asked.')),
  startedAt: text('When it began, as in RFC 3339.'),
  endedAt: text('When it was done.'),
  iterations: count('How many iterations it took.'),
  agent: z.nullable(text('The command of its agent.')),
  models: texts('The models that were used, as far as the agents tell.'),
  cost: loose({
    usd: z.nullable(z.number()),
    source: z
      .enum(['reported', 'estimated', 'both', 'unknown'])
      .check(z.describe('Who says so: the agents, or a price list.')),
    isComplete: flag('Every run of an agent is in it.'),
  }),
});

const predicate = loose({
  loop,
  isProved: flag("The checks ran in a clean checkout; otherwise in the agent's work tree."),
  folder,
  base: z.nullable(tree).check(z.describe('What the loop began with; null if that is not known.')),
  at: tree.check(
    z.refine(({ commit, tree: files }) => commit !== null || files !== null, {
      error: 'names neither a commit nor a tree',
    }),
    z.describe('What was checked.'),
  ),
  setup: z.nullable(run).check(z.describe('The command that made the checkout ready.')),
  criteria: z.optional(
    z
      .array(
        loose({
          id: z.nullable(text('The id of a story; null for a task without stories.')),
          text: text('The title of the story, or the first line of the task.'),
          acceptanceCriteria: texts("The story's acceptance criteria."),
          checks: texts('The commands of the checks that counted for it.'),
        }),
      )
      .check(z.describe('What the work had to satisfy.')),
  ),
  checks: z.array(check).check(z.describe('By what the work was judged.')),
  checksAtStart: z.optional(
    texts('By what it was to be judged when the loop began, where it was let take over other checks since.'),
  ),
  pinned: z
    .nullable(
      loose({
        changed: texts('The pinned files that were changed.'),
        setup: z.nullable(run),
        checks: z.array(check),
      }),
    )
    .check(z.describe('The checks with the pinned files as they were at the start; null if there was no need.')),
  review: z
    .nullable(
      loose({
        by: z.nullable(text('The agent.')),
        verdict: z.enum(['approved', 'rejected', 'none']).check(z.describe('What it said.')),
      }),
    )
    .check(z.describe('The last review by another agent; null if there was none.')),
  terms: z
    .nullable(
      loose({
        include: texts('Files that git ignores and the checks need, in the form of .gitignore.'),
        pins: texts('Files that were pinned as well, as pathspecs of git.'),
        allowEdit: texts('Files that the agent was free to change.'),
        acceptFlaky: flag('A check that fails and then passes counted as passed.'),
      }),
    )
    .check(z.describe('What the proof was asked; null if there was none.')),
  pins: loose({
    files: z
      .record(z.string(), object('The blob of the file at the start.'))
      .check(z.describe('Tests, and what controls them, as they were at the start.')),
    settings: z
      .record(z.string(), z.nullable(sha256('Of the file at the start.')))
      .check(z.describe('The settings as they were at the start; null for a file that was not there.')),
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
    .check(z.describe('What was checked: a commit, or the tree of files that were not committed.')),
  predicateType: z.literal(RECEIPT_TYPE),
  predicate,
});

export function receiptJsonSchema(): object {
  const schema = z.toJSONSchema(statement, { io: 'input' });
  return { title: 'A receipt of ralph: an in-toto Statement about what was checked, and the result.', ...schema };
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
