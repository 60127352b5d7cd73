/** Sets up what is needed to run a receipt again on this machine, outside any loop, and removes it afterwards. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { RalphError } from '../core/error.ts';
import type { Reproduced } from '../core/proof/compare-receipt.ts';
import type { Receipt } from '../core/proof/receipt.ts';
import { makeFolders, realPath } from '../process/files.ts';
import { foundHere, refuseForeign, reproduce, type VerifyTerms } from '../proof/receipts/verify.ts';
import { NO_SANDBOX, type SandboxRequest } from '../runners/sandbox/request.ts';
import { hostOf } from './host.ts';
import { proofWorld } from './performers/prove.ts';
import { chooseSandbox } from './sandbox.ts';

export interface VerifyPlace {
  /** A folder in the repository that has the receipt's commit. */
  readonly cwd: string;
  readonly environment: Environment;
  readonly self: readonly [string, ...string[]];
  /** Null for the operating system's sandbox, if there is one. */
  readonly sandbox: SandboxRequest | null;
  readonly signal: AbortSignal;
}

export interface Verifier {
  /** Why there is no sandbox; null if there is one. */
  readonly noSandbox: string | null;
  run(terms: VerifyTerms): Promise<Reproduced>;
  /** The folder that keeps what the commands print. */
  readonly logs: string;
  close(keepsLogs: boolean): void;
}

const GRACE_MS = 5000;

/** Runs nothing of the receipt yet. Throws if it cannot be run here. */
export async function openVerifier({ predicate }: Receipt, place: VerifyPlace): Promise<Verifier> {
  const { cwd, environment, self, signal } = place;
  refuseForeign(predicate);
  const { sandbox, noSandbox } = await sandboxFor(place);
  const folder = realPath(mkdtempSync(join(tmpdir(), 'ralph-verify-')));
  const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  try {
    const loop = { id: folder.slice(folder.lastIndexOf('/') + 1), folder: join(folder, 'run') };
    makeFolders(loop.folder, 0o700);
    const host = hostOf(environment);
    const proving = { loop, cwd, host, sandbox, self, stateRoot: environment.root.path, grace: GRACE_MS };
    const world = proofWorld(proving, { key: 'verify', signal });
    if (world === null) {
      const hint = 'Run it in a clone of the repository that the receipt is about.';
      throw new RalphError('NO_REPOSITORY', `${cwd} is not in a git repository`, { hint });
    }
    await foundHere(world.trees, predicate.at);
    return {
      noSandbox,
      run: (terms) => reproduce({ ...world, subfolder: predicate.folder, cwd: folder }, predicate, terms),
      logs: join(folder, '.ralph'),
      close(keepsLogs) {
        remove(keepsLogs && existsSync(join(folder, '.ralph')) ? loop.folder : folder);
      },
    };
  } catch (error) {
    remove(folder);
    throw error;
  }
}

/** The commands can come from anyone: they are sandboxed where possible. */
async function sandboxFor({ cwd, environment, self, sandbox: given }: VerifyPlace) {
  if (given?.kind === 'none') return { sandbox: null, noSandbox: '--no-sandbox' };
  const asked = { agents: [], env: environment.variables, cwd, self, notDocker: 'not for a clean checkout' };
  const wanted = { ...NO_SANDBOX, ...given, kind: 'auto' as const };
  const { sandbox, passedOver } = await chooseSandbox(wanted, undefined, asked);
  return sandbox.kind === 'none' ? { sandbox: null, noSandbox: passedOver.os } : { sandbox, noSandbox: null };
}
