/** Shows the difference between two snapshots: as a patch that can be applied, or for a person to read. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { type SnapshotStore, storeEnvironment } from './store.ts';

export interface DiffWanted {
  readonly from: string;
  readonly to: string;
  readonly form: DiffForm;
}

interface ShowDiffOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly onOutput?: (chunk: Buffer) => unknown;
}

export type DiffForm = 'patch' | 'stat' | 'names';

const FORMS: Readonly<Record<DiffForm, readonly string[]>> = {
  patch: ['--patch', '--find-renames'],
  stat: ['--stat', '--find-renames'],
  names: ['--name-only', '--no-renames'],
};

/**
 * Git's output goes to `onOutput` until that returns `false`, or directly to our stdout if there is none. False if
 * there is no difference.
 */
export async function showDiff(
  store: SnapshotStore,
  { from, to, form }: DiffWanted,
  { env, signal, onOutput }: ShowDiffOptions,
): Promise<boolean> {
  // A patch can only be applied if it contains binary files completely; a reader has no use for that.
  const forPrograms = onOutput === undefined && form === 'patch' ? ['--binary'] : [];
  const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--src-prefix=a/', '--dst-prefix=b/', '--exit-code'];
  const child = spawn('git', ['diff', ...plain, ...FORMS[form], ...forPrograms, from, to, '--'], {
    env: storeEnvironment(store, env),
    cwd: store.gitFolder,
    stdio: ['ignore', onOutput === undefined ? 'inherit' : 'pipe', 'pipe'],
    ...defined({ signal }),
  });
  const said: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => void said.push(chunk));
  child.stdout?.on('data', (chunk: Buffer) => {
    if (onOutput?.(chunk) === false) child.stdout?.destroy();
  });
  const [code, by] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  // A reader that has seen enough ends it, as in `ralph diff | head`.
  if (code === 0 || code === 1 || by === 'SIGPIPE') return code !== 0;
  throw new RalphError('GIT', `git diff failed: ${Buffer.concat(said).toString('utf8').trim() || by || code}`);
}
