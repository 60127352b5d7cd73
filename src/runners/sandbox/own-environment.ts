/**
 * Programs of ours that run outside of the sandbox: they are looked for nowhere that an agent could plant one, and have an
 * environment without what would run its code. A variable of the user's may name code that every program runs at its start
 * (Yarn's `NODE_OPTIONS=--require …/.pnp.cjs`), and that code may lie where the agent writes.
 */
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { realPathSoFar } from '../../process/files.ts';
import { isUnder, type SandboxPolicy } from './policy.ts';

type Writable = Pick<SandboxPolicy, 'writable' | 'readOnly'>;

/** Folders in which programs and libraries are looked for. */
const PATHS = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];
/** What node and the loader run. None of them does anything that our programs need. */
const RUN_AT_START = ['NODE_OPTIONS', 'NODE_PATH', 'LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES'];
/** The same of shells. A loop may set one of these for each program: they are taken away around it. */
export const RUN_BY_SHELLS = ['BASH_ENV', 'ENV'];
/** What git runs when it talks to others. */
const RUN_BY_GIT = ['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'SSH_ASKPASS', 'GIT_EXEC_PATH', 'GIT_PROXY_COMMAND'];

/**
 * What is different outside; `undefined` takes a variable away. What the programs inside have instead is among it by
 * another name; so a program of ours that is started with this, and opens a sandbox itself, finds it.
 */
export function ownEnvironment(given: NodeJS.ProcessEnv, policy: Writable): Record<string, string | undefined> {
  const handed = { ...given };
  const env: NodeJS.ProcessEnv = { ...given, ...takeInside(handed) };
  const outside: Record<string, string | undefined> = {};
  const inside: Record<string, string> = {};
  for (const name of [...PATHS, ...RUN_AT_START]) {
    const value = env[name];
    if (value === undefined) continue;
    inside[name] = value;
    outside[name] = PATHS.includes(name) ? ownPath(value, policy) : undefined;
  }
  return { ...outside, ...forInside(inside) };
}

/** Why git may not run outside: what it would start is the agent's to write. Null where nothing is. */
export function gitRunsPlanted(env: NodeJS.ProcessEnv, cwd: string, policy: Writable): string | null {
  for (const name of RUN_BY_GIT) {
    const paths = (env[name] ?? '').split(/[\s"'=]+/).filter((word) => word.includes('/'));
    const planted = paths.find((path) => mayWrite(policy, resolve(cwd, path)));
    if (planted !== undefined) return `${name} names ${planted}, which the agent can write`;
  }
  return null;
}

/** The PATH without what is relative, and without what may be written from inside. */
export function ownPath(path: string, policy: Writable): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !mayWrite(policy, resolve(folder)))
    .join(delimiter);
}

/** Before there is a policy: the work tree is the agent's in each. */
export function pathOutsideOf(workspace: string, { PATH = '' }: NodeJS.ProcessEnv): string {
  return ownPath(PATH, { writable: [realPathSoFar(workspace)], readOnly: [] });
}

/** By the name that it has here, or by what that leads to. */
export function mayWrite({ writable, readOnly }: Writable, path: string): boolean {
  const real = realPathSoFar(path);
  return (
    writable.some((folder) => isUnder(real, folder) || isUnder(path, folder)) &&
    !readOnly.some((folder) => isUnder(real, folder) && isUnder(path, folder))
  );
}

/** Of a loop: what its programs have planted, for a person to read. */
export function asideFolder(loopFolder: string): string {
  return join(loopFolder, 'put-aside');
}

/** Before the name of a variable that is for the program, and not for the processes around it. */
const INSIDE = 'RALPH_INSIDE_';
const NAME = new RegExp(`^${INSIDE}([A-Za-z_]\\w*)$`);

/** The variables by the names under which they come through the processes around. */
export function forInside(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${INSIDE}${name}`, value]));
}

export function takeInside(env: NodeJS.ProcessEnv): Record<string, string> {
  const taken: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const [, own] = NAME.exec(name) ?? [];
    if (own === undefined) continue;
    if (value !== undefined) taken[own] = value;
    delete env[name];
  }
  return taken;
}
