/** A repository, and the performers with which a loop proves its work in it, but no loop. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMAND } from '../../../src/core/check.ts';
import type {
  AskedProofCheck,
  BaseGave,
  BaseProof,
  ClaimAsked,
  Proof,
  ProofTerms,
} from '../../../src/core/proof/proof.ts';
import { proofPerformers } from '../../../src/engine/performers/prove.ts';
import { makeFolders } from '../../../src/process/files.ts';
import { alwaysReady } from '../../../src/process/follow.ts';
import { thisHost } from '../../../src/process/host.ts';
import { type ProofTrees, proofTrees } from '../../../src/proof/trees.ts';
import { newLoopId } from '../../../src/state/paths.ts';
import { snapshotScene } from '../git/snapshot-scene.ts';

const TERMS: ProofTerms = { setup: null, include: [], pins: [], allowEdit: [], acceptFlaky: false };

export type Proving = ReturnType<typeof provingScene>;

/** The repository has one commit of these files. */
export function provingScene(files: Readonly<Record<string, string>>) {
  const scene = snapshotScene();
  for (const [path, content] of Object.entries(files)) scene.write(path, content);
  // A loop does the same when it begins.
  scene.write('.git/info/exclude', '**/.ralph/*.log\n');
  scene.git('add', '--all');
  scene.git('commit', '--quiet', '--message=begin');
  // A unique id, because tests run in parallel: the processes of a loop with the same id would be ended as left behind.
  const id = newLoopId(Date.now());
  const folder = join(scene.folder, `state/ralph/loops/${id}`);
  makeFolders(folder);
  const stop = new AbortController();
  const { signal } = stop;
  const performersIn = (cwd: string) =>
    proofPerformers({
      loop: { id, folder },
      cwd,
      host: thisHost(scene.env, 'group'),
      sandbox: null,
      self: null,
      stateRoot: join(scene.folder, 'state/ralph'),
      grace: 100,
    });
  let steps = 0;
  const at = () => ({ key: `step-${++steps}`, signal, progress: () => undefined, ready: alwaysReady });
  const trees = (): ProofTrees => {
    const made = proofTrees({
      loop: folder,
      cwd: scene.work,
      env: scene.env,
      except: dirname(dirname(folder)),
      signal,
    });
    if (made === null) throw new Error('there is no repository');
    return made;
  };
  return {
    ...scene,
    id,
    loop: folder,
    stop,
    trees,
    place: join(scene.folder, '.cache/ralph/proofs'),
    remove: (path: string) => rmSync(join(scene.work, path), { recursive: true }),
    commit: (message: string) => {
      scene.git('add', '--all');
      scene.git('commit', '--quiet', `--message=${message}`);
    },
    base: (checks: readonly AskedProofCheck[], terms: Partial<ProofTerms> = {}, cwd = scene.work): Promise<BaseGave> =>
      performersIn(cwd)['prove-base']({ terms: { ...TERMS, ...terms }, checks }, at()),
    claim: (
      base: BaseGave,
      checks: readonly AskedProofCheck[],
      { terms = {}, isCommitted = false }: { terms?: Partial<ProofTerms>; isCommitted?: boolean } = {},
      cwd = scene.work,
    ): Promise<Proof> => {
      const asked: ClaimAsked = {
        terms: { ...TERMS, ...terms },
        checks,
        base: { ...proved(base), commands: proved(base).checks.map(({ command }) => command) },
        isCommitted,
        iteration: 1,
        snapshot: null,
      };
      return performersIn(cwd).prove(asked, at());
    },
  };
}

export function proved(base: BaseGave): BaseProof {
  if ('impossible' in base) throw new Error(base.impossible);
  return base;
}

export function asked(command: string, more: Partial<AskedProofCheck> = {}): AskedProofCheck {
  return { command, kind: COMMAND, given: { command }, keepChars: 1000, timeoutMs: null, ...more };
}
