/** `git push` to an address that is none of the project's remotes: the whole code goes there. */
import { block, type Concern, type Context, type Seen } from './category.ts';
import type { Command } from './command.ts';
import { readOptions } from './options.ts';
import { gitFolder, gitOptions, gitSettings } from './run/git-commands.ts';

const ADDRESS = /^(?:https?|ssh|git|ftps?|rsync):\/\/|^(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+:(?!\/\/)/i;
const INSTEAD = 'Push to a remote that the repository has (git remote -v); a person can add others.';

export function pushesElsewhere(command: Command, context: Context, seen: Seen): Concern | null {
  const [subcommand, ...args] = gitOptions(command).operands;
  if (subcommand?.text !== 'push') return null;
  const options = readOptions(args, { letters: 'o', names: ['push-option', 'repo', 'receive-pack'] });
  if (options.has('n', 'dry-run')) return null;
  const to = [...options.values('repo'), ...options.operands][0]?.text ?? '';
  const set = gitSettings(command).flatMap(([name, value]) =>
    /^remote\..+\.(?:push)?url$|^url\..+\.(?:push)?insteadof$/i.test(name) ? [name.replace(/^url\./i, ''), value] : [],
  );
  const added = seen.before(command).flatMap((each) => addressAdded(each, to));
  const addresses = [to, ...set, ...added].filter((text) => ADDRESS.test(text));
  if (addresses.length === 0) return null;
  const folder = gitFolder(command, context.home);
  const known = (folder === null ? [] : context.remotes(folder)).map(bareAddress);
  const stranger = addresses.find((address) => !known.includes(bareAddress(address)));
  if (stranger === undefined) return null;
  return block(`pushes the code to ${stranger}, which is not a remote of this project`, INSTEAD);
}

/** `git remote add x …` before `git push x`. */
function addressAdded(command: Command, remote: string): string[] {
  if (command.name !== 'git') return [];
  const [subcommand, verb, ...rest] = gitOptions(command).operands;
  if (subcommand?.text !== 'remote' || !['add', 'set-url'].includes(verb?.text ?? '')) return [];
  const [name, address] = readOptions(rest, { letters: 'tm' }).operands;
  return name?.text === remote && address !== undefined ? [address.text] : [];
}

/** Host and path: one repository has an address for https and one for ssh. */
function bareAddress(address: string): string {
  return address
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/:(?:\d+\/)?/, '/')
    .replace(/\/+/g, '/')
    .replace(/\/?(?:\.git)?\/?$/, '')
    .toLowerCase();
}
