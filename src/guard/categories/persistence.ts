/** What would still run when the loop is over. */
import { begins, block, byProgram, type Category, type Concern, unless, warn, when } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { gitOptions, gitSettings, isRunByGit } from '../run/git-commands.ts';

/** Git settings that make it run programs. */
const GIT_LOADS =
  /^(?:core\.hookspath|init\.templatedir|include\.path|includeif\..+\.path|url\..+\.(?:push)?insteadof)$/i;
/** Harmless values: no program, or one that every project uses. */
const HARMLESS_VALUE = /^(?:|\.husky(?:\/_)?|\.githooks|cat|less|vim?|nano|true|false|code --wait)$/;
const AT_BOOT = block('starts a service at boot or login');

export const persistence: Category = {
  number: 15,
  name: 'persistence',
  instead: 'Start what the task needs in the session, and stop it when you are done.',
  look: byProgram({
    crontab: unless(/^-l$/, block('changes scheduled jobs')),
    'at batch': unless(/^-[lcV]$/, block('schedules a command for later')),
    systemctl: when(/^(?:enable|link|reenable)$/, AT_BOOT),
    'systemd-run': block('starts a service outside of the loop'),
    launchctl: when(/^(?:load|bootstrap|submit|enable|kickstart)$/, AT_BOOT),
    'update-rc.d chkconfig rc-update': ({ words }) => (words.length > 0 && words[0] !== '--list' ? AT_BOOT : null),
    loginctl: begins('enable-linger', block('keeps processes after the session')),
    'ssh-copy-id': block('adds a permanent SSH key'),
    git: setsGitProgram,
  }),
};

function setsGitProgram(command: Command): Concern | null {
  const [subcommand, ...args] = gitOptions(command).operands;
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
