/** Where programs of ours are looked for: nowhere that an agent could plant one. */
import { delimiter, isAbsolute, resolve } from 'node:path';
import { isUnder, type SandboxPolicy } from './policy.ts';
import { realOf } from './real-path.ts';

/** The PATH without what is relative, and without what may be written from inside. */
export function ownPath(path: string, policy: Pick<SandboxPolicy, 'writable' | 'readOnly'>): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !mayWrite(policy, resolve(folder)))
    .join(delimiter);
}

/** Before there is a policy: the work tree is the agent's in each. */
export function pathOutsideOf(workspace: string, { PATH = '' }: NodeJS.ProcessEnv): string {
  return ownPath(PATH, { writable: [realOf(workspace)], readOnly: [] });
}

/** By the name that it has here, or by what that leads to. */
export function mayWrite({ writable, readOnly }: Pick<SandboxPolicy, 'writable' | 'readOnly'>, path: string): boolean {
  const real = realOf(path);
  return (
    writable.some((folder) => isUnder(real, folder) || isUnder(path, folder)) &&
    !readOnly.some((folder) => isUnder(real, folder) && isUnder(path, folder))
  );
}
