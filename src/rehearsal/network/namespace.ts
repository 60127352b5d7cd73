/** Whether this process is cut off from every network but the loopback, and how to be. */
import { readFileSync, readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { Environment } from '../environment.ts';
import { findEntrance } from './namespace-entrance.ts';
import { NOT_LINUX, type Refusal, refusalOf } from './namespace-refusal.ts';

export type Network =
  /** There is nothing but the loopback, made so by us or found so. */
  | { readonly kind: 'shut' }
  /** It can be shut: run this command, with these variables besides. */
  | { readonly kind: 'can-shut'; inside(argv: readonly string[]): readonly string[]; readonly mark: Environment }
  | ({ readonly kind: 'open' } & Refusal);

/** Holds the name of the namespace outside; inside, that is not one's own. It keeps us from going in without end. */
const MARK = 'RALPH_REHEARSAL_OUTSIDE';

/** Users' paths often leave these out. */
const SYSTEM_PROGRAMS = '/usr/sbin:/sbin';

export function lookAtNetwork(env: Environment): Network {
  if (process.platform !== 'linux') return { kind: 'open', ...NOT_LINUX };
  const here = readlinkSync('/proc/self/ns/net');
  if (env[MARK] !== undefined && env[MARK] !== here) return { kind: 'shut' };
  if (hasOnlyLoopback()) return { kind: 'shut' };
  const path = `${env.PATH ?? ''}:${SYSTEM_PROGRAMS}`;
  const entrance = findEntrance({ path, isRoot: process.getuid?.() === 0 });
  if (entrance.kind !== 'open') return { kind: 'open', ...refusalOf(entrance) };
  return { kind: 'can-shut', inside: entrance.inside, mark: { [MARK]: here } };
}

/** As in a container without a network. A loopback that is down is of no use to us. */
function hasOnlyLoopback(): boolean {
  const devices = readFileSync('/proc/self/net/dev', 'utf8').matchAll(/^ *([^\s:|]+):/gm);
  return [...devices].every(([, name]) => name === 'lo') && Object.keys(networkInterfaces()).includes('lo');
}
