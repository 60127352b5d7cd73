/** Warns of `--pin` and `--allow-edit` paths that match no file: usually a typo, which would show only in a proof. */
import { RalphError } from '../../core/error.ts';
import { type Finding, warning } from '../../core/finding.ts';
import type { ProofTerms } from '../../core/proof/proof.ts';
import type { ProofTrees } from '../trees.ts';

export type ProofPaths = Pick<ProofTerms, 'pins' | 'allowEdit'>;

interface Where {
  /** At least one of these trees must have a matching file. */
  readonly at: readonly string[];
  readonly paths: ProofPaths;
  /** The loop's folder, relative to the top of the repository, where paths begin. */
  readonly within: string;
}

/** Refuses a path that git cannot read. Only warns about a file that does not exist: it may still be created. */
export async function unmatchedPaths(trees: Pick<ProofTrees, 'blobs'>, where: Where): Promise<Finding[]> {
  const { pins, allowEdit } = where.paths;
  const named = [
    ...pins.map((path) => ['--pin', path, 'a file that is created there later is pinned'] as const),
    ...allowEdit.map((path) => ['--allow-edit', path, 'it frees nothing'] as const),
  ];
  const found: Finding[] = [];
  for (const [flag, path, comes] of named) {
    if (await hasMatch(trees, `${flag} ${path}`, { ...where, path })) continue;
    const begins = where.within === '' ? '' : '; paths begin at the top of the repository';
    found.push(warning(`${flag} ${path} matches no file`, `is it a typo? ${comes}${begins}`));
  }
  return found;
}

async function hasMatch(
  trees: Pick<ProofTrees, 'blobs'>,
  what: string,
  { at, path }: Pick<Where, 'at'> & { readonly path: string },
): Promise<boolean> {
  for (const tree of at) {
    const files = await trees.blobs(tree, [path]).catch((error: unknown) => {
      if (!(error instanceof RalphError)) throw error;
      const hint = 'Name files of the project as git add does, such as test/ or "*.golden".';
      throw new RalphError('PATHSPEC', `${what}: git cannot read that path`, { hint });
    });
    if (files.size > 0) return true;
  }
  return false;
}
