/** What a command changes for those that come after it: folder, variables, aliases, files. */
import type { Command, Flow } from '../command.ts';
import { readOptions } from '../options.ts';
import { resolvePath } from '../paths.ts';
import type { Shell } from './shell-state.ts';

const DECLARING = ['export', 'declare', 'typeset', 'local', 'readonly'];
const WRITING = ['>', '>>', '>|', '&>', '&>>'];

export function remember(command: Command, shell: Shell, output: Flow): void {
  if (command.name === 'cd' || command.name === 'pushd') changeFolder(command, shell);
  if (command.name === 'popd') shell.cwd = null;
  if (DECLARING.includes(command.name)) for (const { text } of command.args) define(text, shell.variables);
  if (command.name === 'alias') for (const { text } of command.args) define(text, shell.aliases);
  if (command.name === 'unset') for (const { text } of command.args) shell.variables.delete(text);
  if (command.name === 'read') for (const { text } of command.args) shell.variables.delete(text);
  for (const { operator, target } of command.redirections) {
    if (WRITING.includes(operator)) write(target.text, command, shell, output);
  }
  for (const path of writtenByName(command)) write(path, command, shell, { text: output.text, from: output.from });
}

function changeFolder(command: Command, shell: Shell): void {
  const [target] = readOptions(command.args).operands;
  const to = target === undefined ? shell.home : target.text;
  shell.cwd = to === '-' ? null : resolvePath(to, shell.cwd, shell.home);
  if (shell.cwd === null) shell.variables.delete('PWD');
  else shell.variables.set('PWD', shell.cwd);
}

function define(text: string, names: Map<string, string>): void {
  const at = text.indexOf('=');
  if (at > 0) names.set(text.slice(0, at), text.slice(at + 1));
}

function write(path: string, command: Command, shell: Shell, output: Flow): void {
  const resolved = resolvePath(path, command.cwd, shell.home);
  if (resolved !== null) shell.files.set(resolved, output);
}

/** Files that a command names itself: `tee f`, `curl -o f`, `wget url`. */
function writtenByName(command: Command): string[] {
  switch (command.name) {
    case 'tee':
      return readOptions(command.args).operands.map(({ text }) => text);
    case 'curl': {
      const options = readOptions(command.args, { letters: 'oHdXAuFTeb', names: ['output', 'header', 'data'] });
      const named = options.values('o', 'output').map(({ text }) => text);
      return options.has('O', 'remote-name')
        ? [...named, ...options.operands.map(({ text }) => lastPart(text))]
        : named;
    }
    case 'wget': {
      const options = readOptions(command.args, { letters: 'OP', names: ['output-document'] });
      const named = options.values('O', 'output-document').map(({ text }) => text);
      return named.length > 0 ? named : options.operands.map(({ text }) => lastPart(text));
    }
    default:
      return [];
  }
}

function lastPart(url: string): string {
  return (
    url
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}
