/** What would still run when the loop is over. */
import { block, type Category, type Concern, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { gitOptions, gitSettings, isRunByGit } from '../run/git-commands.ts';

/** Git settings that make it run programs. */
const GIT_LOADS =
  /^(?:core\.hookspath|init\.templatedir|include\.path|includeif\..+\.path|url\..+\.(?:push)?insteadof)$/i;
/** Harmless values: no program, or one that every project uses. */
const HARMLESS_VALUE = /^(?:|\.husky(?:\/_)?|\.githooks|cat|less|vim?|nano|true|false|code --wait)$/;

export const persistence: Category = {
  number: 15,
  name: 'persistence',
  instead: 'Start what the task needs in the session, and stop it when you are done.',
  look(command) {
    const words = command.args.map(({ text }) => text);
    switch (command.name) {
      case 'crontab':
        return words.includes('-l') ? null : block('changes scheduled jobs');
      case 'at':
      case 'batch':
        return words.some((text) => ['-l', '-c', '-V'].includes(text)) ? null : block('schedules a command for later');
      case 'systemctl':
        return words.some((text) => ['enable', 'link', 'reenable'].includes(text))
          ? block('starts a service at boot or login')
          : null;
      case 'systemd-run':
        return block('starts a service outside of the loop');
      case 'launchctl':
        return words.some((text) => ['load', 'bootstrap', 'submit', 'enable', 'kickstart'].includes(text))
          ? block('starts a service at boot or login')
          : null;
      case 'update-rc.d':
      case 'chkconfig':
      case 'rc-update':
        return words.length > 0 && words[0] !== '--list' ? block('starts a service at boot or login') : null;
      case 'loginctl':
        return words[0] === 'enable-linger' ? block('keeps processes after the session') : null;
      case 'ssh-copy-id':
        return block('adds a permanent SSH key');
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
  const isHooked = gitSettings(command).some(
    ([name, value]) => /^core\.hookspath$/i.test(name) && !['', '/dev/null', '.husky', '.githooks'].includes(value),
  );
  if (isHooked) return block('makes git run other hooks');
  if (subcommand?.text !== 'config') return null;
  const { operands } = readOptions(args, { letters: 'f', names: ['file'] });
  const [name, value] = operands[0]?.text === 'set' ? operands.slice(1) : operands;
  if (name === undefined || value === undefined || HARMLESS_VALUE.test(value.text)) return null;
  if (!GIT_LOADS.test(name.text) && !isRunByGit(name.text)) return null;
  // A folder of the project's own is what many projects use; it is worth a word.
  const isOwnFolder = /hookspath/i.test(name.text) && /^[\w-][\w./-]*$/.test(value.text) && !value.text.includes('..');
  if (isOwnFolder) return warn(`makes git run the hooks in ${value.text}`);
  return block(`makes git run a program from now on (${name.text})`);
}
