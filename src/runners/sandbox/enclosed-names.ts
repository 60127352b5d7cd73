/** What a loop and the process around a program in its sandbox both know by name. */
import { join } from 'node:path';

/** Of a loop: what its programs have planted, for somebody to read. */
export function asideFolder(loopFolder: string): string {
  return join(loopFolder, 'put-aside');
}

/** Before the name of a variable that is for the program, and not for the processes around it. */
const INSIDE = 'RALPH_INSIDE_';
/** The program's are set by a shell. */
const NAME = new RegExp(`^${INSIDE}([A-Za-z_]\\w*)$`);

/** The variables by the names under which they come through the processes around. */
export function forInside(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${INSIDE}${name}`, value]));
}

/** Takes them out again. */
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
