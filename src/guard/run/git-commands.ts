/** Shell text that git is told to run: aliases with `!`, `submodule foreach`, `bisect run`, `rebase --exec`. */
import type { Command } from '../command.ts';
import { type Options, readOptions } from '../options.ts';
import type { Inner } from './unfold.ts';

/** Git's own options, before its subcommand; the operands begin with it. */
export function gitOptions(command: Command): Options {
  return readOptions(command.args, {
    letters: 'Cc',
    names: ['git-dir', 'work-tree', 'namespace', 'exec-path', 'config-env'],
    isPrefix: true,
  });
}

export function commandsInGit(command: Command): Inner[] {
  const options = gitOptions(command);
  const [subcommand, ...rest] = options.operands;
  const texts = rest.map(({ text }) => text);
  const inner = options.values('c').flatMap(({ text }) => aliasIn(text.slice(text.indexOf('=') + 1)));
  switch (subcommand?.text) {
    case 'config':
      return [...inner, ...texts.flatMap(aliasIn)];
    case 'submodule': {
      const at = texts.indexOf('foreach');
      const words = readOptions(rest.slice(at + 1), { isPrefix: true }).operands;
      return at === -1 ? inner : [...inner, { kind: 'text', text: words.map(({ text }) => text).join(' '), cwd: null }];
    }
    case 'bisect':
      return texts[0] === 'run' ? [...inner, { kind: 'call', args: rest.slice(1) }] : inner;
    case 'rebase': {
      const given = readOptions(rest, { letters: 'x', names: ['exec'] }).values('x', 'exec');
      return [...inner, ...given.map(({ text }): Inner => ({ kind: 'text', text }))];
    }
    default:
      return inner;
  }
}

function aliasIn(value: string): Inner[] {
  return value.startsWith('!') ? [{ kind: 'text', text: value.slice(1) }] : [];
}
