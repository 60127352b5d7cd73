/** The Stop hook's checks by hand: what it would say if the agent stopped now. */
import { resolve } from 'node:path';
import { git } from '../../scm/git.ts';
import { readPlain } from '../../state/plain-file.ts';
import { markerIn } from './marker-file.ts';
import { judgeAgainst } from './rules-judge.ts';
import { DEFAULT_REVIEW_CAP } from './rules-marker.ts';

export interface CheckRequest {
  readonly projectDir: string;
  readonly ralphDir: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Checked {
  /** The mode by which it was judged; null where no loop runs: then only the state itself can be. */
  readonly mode: string | null;
  readonly reason: string | null;
  /** What `git status` tells, for check 3. */
  readonly status: string;
}

export async function checkStories({ projectDir, ralphDir, env }: CheckRequest): Promise<Checked> {
  const marker = markerIn(projectDir);
  const folder = marker?.ralphDir ?? ralphDir;
  const verdict = judgeAgainst(
    marker?.preIterationSnapshot ?? null,
    readPlain(resolve(projectDir, folder, 'tasks.json')),
    {
      mode: marker?.iterationMode ?? null,
      story: marker?.story ?? null,
      reviewCap: marker?.reviewCap ?? DEFAULT_REVIEW_CAP,
      skipReview: marker?.skipReview ?? false,
      frozen: marker?.frozen ?? null,
      shownPath: `${folder}/tasks.json`,
    },
  );
  const { stdout } = await git(['status', '--porcelain'], projectDir, env);
  return {
    mode: marker?.iterationMode ?? null,
    reason: verdict.kind === 'legal' ? null : verdict.reason,
    status: stdout,
  };
}
