/**
 * Performs the steps of a loop that proves its work. What runs in a clean checkout is claimed, contained and sandboxed
 * like any check.
 */
import { dirname, join, relative } from 'node:path';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import type { Finding } from '../../core/finding.ts';
import type { BaseAsked, BaseGave, ClaimAsked, Proof } from '../../core/proof/proof.ts';
import { faultMessage } from '../../core/system-fault.ts';
import type { Duration } from '../../core/time.ts';
import { makeFolders } from '../../process/files.ts';
import type { Host } from '../../process/host.ts';
import { withCacheOverlays } from '../../proof/cache-overlay.ts';
import type { Checkout } from '../../proof/checkout.ts';
import type { InCheckout, ProofWorld } from '../../proof/clean-run.ts';
import { type ProofPaths, unmatchedPaths } from '../../proof/pins/unmatched-paths.ts';
import { proveBase, proveClaim } from '../../proof/prove.ts';
import { BASE_REF, type ProofTrees, proofTrees } from '../../proof/trees.ts';
import { pathOutsideOf } from '../../runners/sandbox/own-environment.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { checkoutsFolder, removeCheckouts } from '../left-behind/proof-checkouts.ts';
import { openSandbox } from '../sandbox.ts';
import type { StepAt } from './perform.ts';
import { checkOnce } from './performers.ts';

export interface ProofPlace {
  readonly loop: { readonly id: string; readonly folder: string };
  /** Where the agent works. */
  readonly cwd: string;
  /** Has no sandbox: each checkout gets its own. */
  readonly host: Host;
  readonly sandbox: SandboxRequest | null;
  readonly self: readonly [string, ...string[]] | null;
  readonly stateRoot: string;
  readonly grace: Duration;
  /** Called with a sentence when a sandbox's helper is lost. */
  readonly warn?: (line: string) => void;
}

export function proofPerformers(place: ProofPlace) {
  return {
    async 'prove-base'(given: BaseAsked, at: StepAt): Promise<BaseGave> {
      const world = proofWorld(place, at);
      if (world === null) return { impossible: NO_REPOSITORY };
      return proveBase(world, given).catch((error: unknown) => ({ impossible: whyImpossible(error, at) }));
    },
    async prove(given: ClaimAsked, at: StepAt): Promise<Proof> {
      const none = { at: null, setup: null, checks: [], pinned: null };
      const world = proofWorld(place, at);
      const refused = (reason: string): Proof => ({ ...none, findings: [{ is: 'impossible', reason }] });
      if (world === null) return refused(NO_REPOSITORY);
      return proveClaim(world, given).catch((error: unknown) => refused(whyImpossible(error, at)));
    },
  };
}

const NO_REPOSITORY = 'there is no git repository';

/** What git or the disk reports is a finding; anything else is a bug. Bugs, and errors after a cancel, are rethrown. */
function whyImpossible(error: unknown, { signal }: StepAt): string {
  const isExpected = error instanceof RalphError || (error instanceof Error && 'code' in error);
  if (signal.aborted || !isExpected) throw error;
  return faultMessage(error);
}

/** A PATH without the work tree: the agent could have put a `git` of its own there. */
const ownEnvironment = ({ cwd, host }: Pick<ProofPlace, 'cwd' | 'host'>): NodeJS.ProcessEnv => {
  return { ...host.env, PATH: pathOutsideOf(cwd, host.env) };
};

function treesOf(place: Pick<ProofPlace, 'loop' | 'cwd' | 'host'>, signal: AbortSignal): ProofTrees | null {
  const { loop, cwd } = place;
  return proofTrees({
    loop: loop.folder,
    cwd,
    env: ownEnvironment(place),
    except: dirname(dirname(loop.folder)),
    signal,
  });
}

/** Looks in the tree that the loop began with, if it was kept, and in the current one. */
export async function lookForPaths(
  paths: ProofPaths,
  place: Pick<ProofPlace, 'loop' | 'cwd' | 'host'>,
  signal: AbortSignal,
): Promise<Finding[]> {
  const trees = treesOf(place, signal);
  if (trees === null) return [];
  const [start, now] = [await trees.kept(BASE_REF), await trees.take('refs/proof/now')];
  const within = relative(trees.root, place.cwd);
  return unmatchedPaths(trees, { at: [...(start === null ? [] : [start.at]), now.at], paths, within });
}

/** Null if there is no repository. */
export function proofWorld(place: ProofPlace, at: Pick<StepAt, 'key' | 'signal'>): ProofWorld | null {
  const { loop, cwd, host } = place;
  const { signal } = at;
  const own = ownEnvironment(place);
  const trees = treesOf(place, signal);
  if (trees === null) return null;
  const kept = join(loop.folder, 'proof');
  const checkouts = { place: checkoutsFolder(host.env), name: loop.id };
  makeFolders(kept, 0o700);
  removeCheckouts(checkouts);
  return {
    trees,
    subfolder: relative(trees.root, cwd),
    cwd,
    kept,
    checkouts,
    env: own,
    signal,
    enter: (checkout, env) => enterCheckout(place, at, checkout, env),
  };
}

async function enterCheckout(
  { loop, cwd: workTree, host, sandbox, self, stateRoot, grace, warn }: ProofPlace,
  { key, signal }: Pick<StepAt, 'key' | 'signal'>,
  { folder, root, reports }: Checkout,
  env: NodeJS.ProcessEnv,
): Promise<InCheckout> {
  const { XDG_CACHE_HOME: cache } = env;
  // Package caches of its own, removed with the checkout: an agent could have planted something in those of its
  // sandbox.
  const clean: Host = { ...host, env: { ...env, XDG_CACHE_HOME: join(folder, 'caches') } };
  const request = sandbox === null ? null : { ...sandbox, denyWrite: [], allowWrite: [...sandbox.allowWrite, reports] };
  const own = { id: `${loop.id}-proof`, folder: join(folder, 'sandbox') };
  makeFolders(own.folder, 0o700);
  const isolation = await openSandbox(request, {
    loop: own,
    cwd: root,
    stateRoot,
    self,
    agents: [],
    host: clean,
    grace,
    ...defined({ warn }),
  });
  const { XDG_CACHE_HOME: _own, ...others } = isolation.host.env;
  const users: Host = { ...isolation.host, env: cache === undefined ? others : { ...others, XDG_CACHE_HOME: cache } };
  const inside = withCacheOverlays(users, { ...host.env, PATH: pathOutsideOf(workTree, host.env) }, folder);
  return {
    async run(name, check, { cwd, env: more }) {
      const asked = { key: `${key}/${name}`, check, signal, env: more };
      return (await checkOnce({ loop, cwd, host: inside, grace }, asked)).checked;
    },
    close: () => isolation.runner.close(),
  };
}
