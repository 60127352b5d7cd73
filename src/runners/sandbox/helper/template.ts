/** The command that starts a program in a loop's sandbox: made by the runtime once, and again if files have changed. */
import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { writeFile } from '../../../process/files.ts';
import { findProgram } from '../../../process/which.ts';
import { insideWords, sealTable } from '../inside-script.ts';
import { listedBinds } from '../mount-check.ts';
import { isUnder, type LoopPolicy } from '../policy.ts';
import {
  adjusted,
  PROXY_PORT,
  platformOptions,
  procOf,
  type RuntimePolicy,
  runtimeConfig,
  SOCKS_PORT,
  writeFilter,
} from '../runtime.ts';
import { changedIn, destinations, lookAt, pathsOf, refuseExchanged, type Seen } from './binds.ts';
import { takeBridge } from './bridge.ts';
import { type BwrapWords, bindsIn, bwrapWords, PLACEHOLDER, programWords } from './bwrap-words.ts';
import type { ProgramAsked } from './messages.ts';

interface Place {
  readonly folder: string;
  readonly path: string;
  readonly keepsAsked: boolean;
  readonly grace: number;
}

type Program = Pick<ProgramAsked, 'writes' | 'isOffline'> & { readonly name: string; readonly policy: LoopPolicy };

interface Made {
  readonly words: BwrapWords;
  readonly seen: Seen;
  /** What bubblewrap must have mounted when a program begins. */
  readonly mounts: readonly string[];
}

/** A program can change the files while the command is made from them; if one never stops, nothing is started. */
const MOST_ATTEMPTS = 5;

export async function openTemplate(kept: RuntimePolicy, { folder, path, keepsAsked, grace }: Place) {
  const { policy, sharesProc, leadsTo = destinations(policy) } = kept;
  const socket = SandboxManager.getLinuxHttpSocketPath() ?? '';
  const bridge = await takeBridge(socket, SandboxManager.getProxyPort() ?? 0);
  const program = (name: string): string => {
    const found = findProgram(name, path, '/');
    if (found === null) throw new Error(`${name} is not found`);
    return found;
  };
  const [bwrap, socat] = [program('bwrap'), program('socat')];
  const proc = procOf(sharesProc, folder);
  const seal = proc?.seal ?? null;
  const table = join(folder, 'seal');
  if (seal !== null) writeFile(table, sealTable(seal), { mode: 0o600 });
  const filter = writeFilter(folder);
  const { loopback, seeOff } = platformOptions(policy, grace);
  /** Everything that can be written: what the loop began with, and the runtime's sockets. */
  const known = Object.values(leadsTo);
  const isKnown = (path: string): boolean => known.includes(path) || isUnder(path, policy.runtime);

  /** A guarded path is missing: bubblewrap creates an empty file or folder there to mount over, and leaves it. */
  let leavesBehind = false;
  /** Calls of the runtime since it last removed what was left behind. */
  let wraps = 0;

  async function make(own: LoopPolicy): Promise<Made> {
    const { filesystem } = runtimeConfig({ ...kept, policy: own });
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const began = lookAt(pathsOf(own));
      const name = randomBytes(6).toString('hex');
      const call = { commandId: name };
      const wrapped = await SandboxManager.wrapWithSandbox(PLACEHOLDER, undefined, { filesystem }, undefined, call);
      wraps++;
      const words = bwrapWords(adjusted(proc?.within(wrapped) ?? wrapped, own), name);
      const binds = bindsIn(words.options);
      const seen = lookAt([...pathsOf(own), ...binds.map(({ source }) => source)]);
      const other = binds.find(({ source, isWritable }) => isWritable && !isKnown(source));
      if (other !== undefined) throw new Error(`${other.source} leads to another place than when the loop began`);
      leavesBehind ||= own.readOnly.some((path) => began.get(path) === '');
      if (changedIn(began, seen) === null) return { words, seen, mounts: listedBinds(binds, policy.runtime) };
    }
    throw new Error('the files that it is made from change all the time');
  }

  // At once: if the runtime is not as expected, programs are started without a helper.
  const made = new Map([[policy, await make(policy)]]);
  const current = async (own: LoopPolicy): Promise<Made> => {
    refuseExchanged(leadsTo);
    const last = made.get(own);
    if (last !== undefined && changedIn(last.seen, lookAt(last.seen.keys())) === null) return last;
    const next = await make(own);
    made.set(own, next);
    return next;
  };
  // One at a time: the runtime keeps its state in its module.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (own: LoopPolicy): Promise<Made> => {
    const next = last.then(() => current(own));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    /** `policy`: the loop's, or a narrower one for this program. */
    async wordsFor({ writes, isOffline, name, policy: own }: Program) {
      const { words, mounts } = await inTurn(own);
      for (const file of writes) {
        if (!lstatSync(file).isFile()) throw new Error(`${file} is not a plain file`);
      }
      const ways = { mounts, seal, keepsAsked, seeOff, loopback: isOffline ? null : loopback };
      return programWords(words, {
        name,
        writes,
        bwrap,
        path,
        bridge: isOffline ? null : { socat, socket, ports: [PROXY_PORT, SOCKS_PORT] },
        filter,
        inside: insideWords(words.bash, ways, table),
        isDeaf: keepsAsked,
      });
    },
    /** Call when no program runs or is about to: what is removed is no longer guarded in a running one. */
    tidy(): void {
      if (!leavesBehind) return;
      for (; wraps > 0; wraps--) SandboxManager.cleanupAfterCommand();
      // Along with what it left behind, the runtime has removed what it mounts there.
      made.clear();
      leavesBehind = false;
    },
    close: bridge.close,
  };
}
