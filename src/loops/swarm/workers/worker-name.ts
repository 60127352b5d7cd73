/** Names of workers: they become names of files, windows and branches. */
import { refused } from './swarm.ts';

const LONGEST = 100;

export function isName(name: string): boolean {
  const isPlain = /^[^\s./:#\p{Cc}-][^/:#\p{Cc}]*$/u.test(name);
  return isPlain && name.length <= LONGEST && !name.endsWith(';');
}

export function checkName(name: string): void {
  if (isName(name)) return;
  const hint = `A name begins with a letter, a digit or "_", holds no "/", ":" or "#", and has at most ${LONGEST} characters.`;
  throw refused(`invalid worker name '${name}'`, 1, hint);
}
