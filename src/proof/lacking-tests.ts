/** Finds tests that run in the work tree but not in a clean checkout: claims would silently be proved without them. */
import { mkdtempSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { COMMAND, codeOfOutcome, hasPassed } from '../core/check.ts';
import { compareTests, isSame } from '../core/proof/compare-tests.ts';
import type { AskedProofCheck, LackingTests } from '../core/proof/proof.ts';
import { makeFolders, realPath } from '../process/files.ts';
import { removeFolder } from './checkout.ts';
import { type CleanResult, type ProofWorld, runOne } from './clean-run.ts';
import { VENV_PROGRAMS } from './setup.ts';

/** `hasIgnored`: git ignores some test files. The tests of the work tree are counted only if there is a doubt. */
export async function lackingTests(
  world: ProofWorld,
  checks: readonly AskedProofCheck[],
  { results, hasIgnored }: { readonly results: readonly CleanResult[]; readonly hasIgnored: boolean },
): Promise<LackingTests[]> {
  const lacking: LackingTests[] = [];
  for (const [index, { check, tests }] of results.entries()) {
    const asked = checks[index];
    if (asked === undefined || tests === null || !isDoubtful(asked, check, hasIgnored)) continue;
    const inTree = await countInTree(world, asked, index);
    const { missing, skipped } = compareTests(inTree, tests, false);
    if (!isSame({ missing, skipped })) lacking.push({ command: asked.command, missing, skipped });
  }
  return lacking;
}

/** Whether the command itself succeeds, but some of its tests may not have been run. */
function isDoubtful({ kind }: AskedProofCheck, check: CleanResult['check'], hasIgnored: boolean): boolean {
  const isGreen = hasPassed(check) || (check.outcome.is === 'failed' && codeOfOutcome(check.outcome) === null);
  return kind === COMMAND && isGreen && (hasIgnored || (check.tests?.skipped ?? 0) > 0);
}

/** Runs the check in the work tree with the loop's variables, and `CI` as in the checkout. Empty if it fails there. */
async function countInTree(
  world: ProofWorld,
  asked: AskedProofCheck,
  index: number,
): Promise<CleanResult['tests'] & object> {
  const { trees, cwd, checkouts } = world;
  makeFolders(checkouts.place, 0o700);
  const folder = realPath(mkdtempSync(join(checkouts.place, `${checkouts.name}-`)));
  const remove = (): void => removeFolder(folder);
  try {
    const reports = join(folder, 'reports');
    makeFolders(reports, 0o700);
    const checkout = { folder, root: trees.root, reports, remove };
    const path = [join(cwd, VENV_PROGRAMS), world.env.PATH ?? ''].join(delimiter);
    const inside = await world.enter(checkout, { ...world.env, PATH: path, CI: world.env.CI ?? 'true' });
    try {
      const wanted = { name: 'base', mayBeEmpty: () => true };
      const { check, tests } = await runOne(asked, `tree-${index}`, world, wanted, { checkout, cwd, inside, path });
      return hasPassed(check) ? (tests ?? []) : [];
    } finally {
      await inside.close();
    }
  } finally {
    remove();
  }
}
