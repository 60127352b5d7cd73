/** What would still run when the loop is over. */
import { block, type Category, type Concern, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { gitOptions } from '../run/git-commands.ts';

/** Git settings that make it run programs. */
const GIT_RUNS =
  /^(?:core\.(?:hookspath|sshcommand|fsmonitor|editor|pager|askpass|gitproxy)|credential\.helper|init\.templatedir|include\.path)$/i;
/** Harmless values: no program, or one that every project uses. */
const HARMLESS_VALUE = /^(?:|\.husky(?:\/_)?|\.githooks|cat|less|vim?|nano|true|false|code --wait)$/;

export const persistence: Category = {
  number: 15,
  name: 'persistence',
  instead: 'Start what you need for this task, and end it with the task.',
  look(command) {
    const words = command.args.map(({ text }) => text);
    switch (command.name) {
      case 'crontab':
        return words.includes('-l') ? null : block('changes what runs on a clock');
      case 'at':
      case 'batch':
        return words.some((text) => ['-l', '-c', '-V'].includes(text)) ? null : block('starts something later');
      case 'systemctl':
        return words.some((text) => ['enable', 'link', 'reenable'].includes(text))
          ? block('starts something with the machine')
          : null;
      case 'systemd-run':
        return block('starts something beside the loop');
      case 'launchctl':
        return words.some((text) => ['load', 'bootstrap', 'submit', 'enable', 'kickstart'].includes(text))
          ? block('starts something with the machine')
          : null;
      case 'update-rc.d':
      case 'chkconfig':
      case 'rc-update':
        return words.length > 0 && words[0] !== '--list' ? block('starts something with the machine') : null;
      case 'loginctl':
        return words[0] === 'enable-linger' ? block('keeps processes after the session') : null;
      case 'ssh-copy-id':
        return block('lets a key in for good');
      case 'git':
        return setsGitProgram(command);
      default:
        return null;
    }
  },
};

function setsGitProgram(command: Command): Concern | null {
  const options = gitOptions(command);
  const [subcommand, ...args] = options.operands;
  const given = options.values('c').map(({ text }) => text.split('='));
  if (
    given.some(
      ([name = '', value = '']) =>
        GIT_RUNS.test(name) && /hookspath/i.test(name) && !['', '/dev/null', '.husky', '.githooks'].includes(value),
    )
  ) {
    return block('makes git run other hooks');
  }
  if (subcommand?.text !== 'config') return null;
  const { operands } = readOptions(args, { letters: 'f', names: ['file'] });
  const [name, value] = operands[0]?.text === 'set' ? operands.slice(1) : operands;
  if (name === undefined || value === undefined || !GIT_RUNS.test(name.text) || HARMLESS_VALUE.test(value.text))
    return null;
  // A folder of the project's own is what many projects use; it is worth a word.
  const isOwnFolder = /hookspath/i.test(name.text) && /^[\w-][\w./-]*$/.test(value.text) && !value.text.includes('..');
  if (isOwnFolder) return warn(`makes git run what lies in ${value.text}`);
  return block(`makes git run a program from now on (${name.text})`);
}
