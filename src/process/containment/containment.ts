/** The ladder: how surely everything that a run starts can be ended. The strongest rung that this machine has is taken. */
import { RalphError } from '../../core/error.ts';
import { type CgroupHome, findCgroupHome } from './cgroup.ts';
import { pidNamespacesWork } from './pid-namespace.ts';

export const CONTAINMENT_LEVELS = ['cgroup', 'pid-namespace', 'group'] as const;
export type ContainmentLevel = (typeof CONTAINMENT_LEVELS)[number];

export type Containment =
  | { readonly rung: 'cgroup'; readonly home: CgroupHome }
  | { readonly rung: 'pid-namespace'; readonly asRoot: boolean }
  /** Best effort: a double fork with an emptied environment and its own session escapes. */
  | { readonly rung: 'group' };

/** Below which cgroup leaves are made, given our own; below our own unless told otherwise. */
type ChooseHome = (own: string) => string;

export function strongestContainment(choose?: ChooseHome): Containment {
  return take('cgroup', choose) ?? take('pid-namespace') ?? { rung: 'group' };
}

export function containmentOf(rung: ContainmentLevel, choose?: ChooseHome): Containment {
  const containment = take(rung, choose);
  if (containment !== null) return containment;
  throw new RalphError('CONTAINMENT', `this machine cannot contain a run by "${rung}"`, {
    hint: 'Leave RALPH_CONTAINMENT unset to take the strongest way that works here.',
    exitCode: 2,
  });
}

function take(rung: ContainmentLevel, choose?: ChooseHome): Containment | null {
  if (rung === 'group') return { rung };
  if (process.platform !== 'linux') return null;
  if (rung === 'cgroup') {
    const home = findCgroupHome(choose);
    return home === null ? null : { rung, home };
  }
  const asRoot = process.getuid?.() === 0;
  return pidNamespacesWork(asRoot) ? { rung, asRoot } : null;
}
