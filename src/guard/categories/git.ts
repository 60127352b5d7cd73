/** Git commands that rewrite published history or discard uncommitted work. */
import { block, type Category, type Concern, warn } from '../category.ts';
import { type Arg, readOptions, table } from '../command.ts';
import { gitFolder, gitOptions } from '../run/git-commands.ts';

const COMMIT_FIRST = 'Commit or stash first, or restore single files by name.';
const DISCARDS = block('discards uncommitted changes', COMMIT_FIRST);
const REWRITES = block('rewrites history');
const DROPS_REFLOG = block('deletes the reflog entries that could bring lost commits back');

/** Judges one subcommand by its arguments, and by whether there are changes to lose. */
type LookAt = (args: readonly Arg[], isDirty: () => boolean) => Concern | null;

export const destructiveGit: Category = {
  number: 10,
  name: 'destructive git',
  instead: 'Add a new commit instead; leave published history as it is.',
  look(command, context) {
    if (command.name === 'git-filter-repo' || command.name === 'bfg') return REWRITES;
    if (command.name !== 'git') return null;
    const [subcommand, ...args] = gitOptions(command).operands;
    const folder = gitFolder(command, context.home);
    // If the folder is unknown, assume that there are changes to lose.
    const isDirty = () => folder === null || context.isDirty(folder);
    return SUBCOMMANDS.get(subcommand?.text ?? '')?.(args, isDirty) ?? null;
  },
};

const SUBCOMMANDS = table<LookAt>({
  push: pushes,
  reset: (args, isDirty) => {
    const options = readOptions(args);
    if (!options.has('hard')) return null;
    if (isDirty()) return DISCARDS;
    const [to] = options.operands;
    return to === undefined || to.text === 'HEAD' ? null : warn(`drops the commits after ${to.text} from the branch`);
  },
  clean: (args, isDirty) => {
    const options = readOptions(args, '-e exclude');
    if (!options.has('f', 'force') || options.has('n', 'dry-run')) return null;
    if (options.operands.length > 0 && !options.operands.some(isAll)) return null;
    if (isDirty()) return block('deletes files that are not committed', COMMIT_FIRST);
    return warn('deletes untracked files');
  },
  restore: (args, isDirty) => {
    const options = readOptions(args, '-s source');
    const isIndexOnly = options.has('S', 'staged') && !options.has('W', 'worktree');
    if (isIndexOnly || !options.operands.some(isAll) || !isDirty()) return null;
    return block('discards all uncommitted changes', COMMIT_FIRST);
  },
  checkout: (args, isDirty) => {
    const options = readOptions(args, '-bB orphan');
    const loses = options.has('f', 'force') || options.operands.some(isAll);
    return loses && isDirty() ? DISCARDS : null;
  },
  switch: (args, isDirty) =>
    readOptions(args, '-cC').has('f', 'force', 'discard-changes') && isDirty() ? DISCARDS : null,
  rm: (args) => {
    const options = readOptions(args);
    const deletesAll = options.has('r') && options.operands.some(isAll);
    return deletesAll && !options.has('cached', 'n', 'dry-run') ? block('deletes every file of the project') : null;
  },
  stash: ([verb]) => {
    if (verb?.text === 'clear') return block('throws away all stashes');
    return verb?.text === 'drop' ? warn('throws away a stash') : null;
  },
  branch: (args) => {
    const options = readOptions(args);
    const isForced = options.has('D') || (options.has('d', 'delete') && options.has('f', 'force'));
    if (!isForced) return null;
    const isMain = options.operands.some(({ text }) => /^(?:main|master|trunk|develop)$/.test(text));
    return isMain ? block('deletes the main branch') : warn('deletes a branch, merged or not');
  },
  tag: (args) => (readOptions(args).has('d', 'delete') ? warn('deletes a tag') : null),
  'filter-branch filter-repo': () => REWRITES,
  'update-ref': (args) => (readOptions(args).has('d', 'stdin') ? block('deletes a reference') : null),
  reflog: ([verb]) => (/^(?:expire|delete)$/.test(verb?.text ?? '') ? DROPS_REFLOG : null),
  gc: (args) => (args.some(({ text }) => /^--prune=(?:now|all)$/.test(text)) ? DROPS_REFLOG : null),
  prune: () => warn('deletes commits that are on no branch'),
  worktree: (args) =>
    args[0]?.text === 'remove' && readOptions(args).has('f', 'force')
      ? warn('deletes a work tree with its changes')
      : null,
  remote: ([verb]) =>
    /^(?:remove|rm|set-url)$/.test(verb?.text ?? '') ? warn('changes where the project is pushed to') : null,
});

function pushes(args: readonly Arg[]): Concern | null {
  const options = readOptions(args, '-o push-option repo receive-pack');
  if (options.has('n', 'dry-run')) return null;
  const leases = args.some(({ text }) => /^--force-(?:with-lease|if-includes)/.test(text));
  const forces = options.has('f') || args.some(({ text }) => /^--force?$/.test(text));
  const refs = options.operands.slice(1);
  if (forces || refs.some(({ text }) => text.startsWith('+')))
    return block('overwrites history that others may have pulled');
  if (options.has('mirror', 'prune')) return block('deletes branches on the remote that you do not have');
  if (options.has('d', 'delete') || refs.some(({ text }) => text.startsWith(':') && text.length > 1))
    return block('deletes a branch on the remote');
  return leases ? warn('overwrites published history unless someone else has pushed') : null;
}

function isAll({ text }: Arg): boolean {
  return ['.', './', '*', './*', ':/', ':/*', '..', ':(top)', '**'].includes(text);
}
