/** More rights than the agent was given. */
import { block, byProgram, type Category, type Concern, unless, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';

const POWERFUL_GROUPS = /^(?:sudo|wheel|docker|root|admin|adm|lxd|disk|libvirt)$/;

export const privilege: Category = {
  number: 7,
  name: 'privilege escalation',
  instead: 'Do it without root; if that is impossible, say so and stop with <promise>BLOCKED:reason</promise>.',
  look: byProgram({
    'sudo doas pkexec': becomesRoot,
    'su runuser': unless(/^--(?:help|version)$/, block('becomes another user')),
    chmod: setsId,
    setcap: block('gives a program more rights'),
    'visudo chpasswd': block('changes who may do what on this machine'),
    passwd: ({ args }) => (readOptions(args).has('S', 'status') ? null : block('changes a password')),
    'usermod gpasswd adduser useradd deluser userdel groupadd dseditgroup': ({ words }) => {
      const isPowerful = words.some((text) => text.split(',').some((group) => POWERFUL_GROUPS.test(group)));
      return block(isPowerful ? 'joins a group that is as good as root' : 'changes the users of this machine');
    },
  }),
};

function becomesRoot(command: Command): Concern | null {
  const options = readOptions(command.args, {
    letters: 'ugpCDhRrtTU',
    names: ['user', 'group', 'prompt', 'chdir'],
    isPrefix: true,
  });
  const [inner] = options.operands;
  if (options.has('l', 'list', 'v', 'validate', 'k', 'K', 'V', 'version') && inner === undefined) return null;
  if (options.has('i', 's', 'login', 'shell')) return block('opens a shell as root');
  if (options.has('S', 'stdin') && command.input.from.length > 0) return block('hands a password to sudo');
  const isShell = /^(?:su|(?:ba|z|da)?sh)$/.test(inner?.text ?? '') && options.operands.length === 1;
  return isShell ? block('opens a shell as root') : warn(`runs as root (${command.name})`);
}

/** Only the set-user and set-group bits; `chmod 755` and `chmod +x` are everyday work, and so is a sticky bit. */
function setsId(command: Command): Concern | null {
  const [mode] = readOptions(command.args.filter(({ text }) => !/^-[rwx]+$/.test(text))).operands;
  const text = mode?.text ?? '';
  const isNumeric = /^0?[2-7][0-7]{3}$/.test(text) && (Number.parseInt(text, 8) & 0o6000) !== 0;
  const isSymbolic = text.split(',').some((part) => /^[ugoa]*[+=][rwxXt]*s/.test(part));
  return isNumeric || isSymbolic ? block('lets a program run with its owner’s rights (setuid)') : null;
}
