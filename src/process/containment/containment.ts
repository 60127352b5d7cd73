/** The ladder: how surely everything that a run starts can be ended. The strongest level that this machine has is taken. */
import { RalphError } from '../../core/error.ts';
import { type CgroupHome, findCgroupHome } from './cgroup.ts';
import { pidNamespacesWork } from './pid-namespace.ts';

export const CONTAINMENT_LEVELS = ['cgroup', 'pid-namespace', 'group'] as const;
export type ContainmentLevel = (typeof CONTAINMENT_LEVELS)[number];

export type Containment =
  | { readonly level: 'cgroup'; readonly home: CgroupHome }
  | { readonly level: 'pid-namespace'; readonly asRoot: boolean }
  /** Best effort: a double fork with an emptied environment and its own session escapes. */
  | { readonly level: 'group' };

/** Below which cgroup leaves are made, given our own; below our own unless told otherwise. */
type ChooseHome = (own: string) => string;

export function strongestContainment(choose?: ChooseHome): Containment {
  return take('cgroup', choose) ?? take('pid-namespace') ?? { level: 'group' };
}

export function containmentOf(level: ContainmentLevel, choose?: ChooseHome): Containment {
  const containment = take(level, choose);
  if (containment !== null) return containment;
  throw new RalphError('CONTAINMENT', `this machine cannot contain a run by "${level}"`, {
    hint: 'Leave RALPH_CONTAINMENT unset to take the strongest way that works here.',
  });
}

function take(level: ContainmentLevel, choose?: ChooseHome): Containment | null {
  if (level === 'group') return { level };
  if (process.platform !== 'linux') return null;
  if (level === 'cgroup') {
    const home = findCgroupHome(choose);
    return home === null ? null : { level, home };
  }
  const asRoot = process.getuid?.() === 0;
  return pidNamespacesWork(asRoot) ? { level, asRoot } : null;
}
