/** More rights than the agent was given. */
import { block, type Category, type Concern, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';

const POWERFUL_GROUPS = /^(?:sudo|wheel|docker|root|admin|adm|lxd|disk|libvirt)$/;

export const privilege: Category = {
  number: 7,
  name: 'privilege escalation',
  instead: 'Do it without root; if that is impossible, say so and stop with <promise>BLOCKED:reason</promise>.',
  look(command) {
    switch (command.name) {
      case 'sudo':
      case 'doas':
      case 'pkexec':
        return becomesRoot(command);
      case 'su':
      case 'runuser':
        return isHelp(command) ? null : block('becomes another user');
      case 'chmod':
        return setsId(command);
      case 'setcap':
        return block('gives a program more rights');
      case 'visudo':
      case 'chpasswd':
        return block('changes who may do what on this machine');
      case 'passwd':
        return readOptions(command.args).has('S', 'status') ? null : block('changes a password');
      case 'usermod':
      case 'gpasswd':
      case 'adduser':
      case 'useradd':
      case 'deluser':
      case 'userdel':
      case 'groupadd':
      case 'dseditgroup':
        return joinsGroup(command);
      default:
        return null;
    }
  },
};

function becomesRoot(command: Command): Concern | null {
  const options = readOptions(command.args, {
    letters: 'ugpCDhRrtTU',
    names: ['user', 'group', 'prompt', 'chdir'],
    isPrefix: true,
  });
  if (options.has('l', 'list', 'v', 'validate', 'k', 'K', 'V', 'version') && options.operands.length === 0) return null;
  if (options.has('i', 's', 'login', 'shell') || (command.name === 'doas' && options.has('s')))
    return block('opens a shell as root');
  if (options.has('S', 'stdin') && command.input.from.length > 0) return block('hands a password to sudo');
  const [inner] = options.operands;
  if (inner !== undefined && /^(?:su|(?:ba|z|da)?sh)$/.test(inner.text) && options.operands.length === 1)
    return block('opens a shell as root');
  return warn(`runs as root (${command.name})`);
}

/** Only the set-user and set-group bits; `chmod 755` and `chmod +x` are everyday work, and so is a sticky bit. */
function setsId(command: Command): Concern | null {
  const [mode] = readOptions(command.args.filter(({ text }) => !/^-[rwx]+$/.test(text))).operands;
  const text = mode?.text ?? '';
  const isNumeric = /^0?[2-7][0-7]{3}$/.test(text) && (Number.parseInt(text, 8) & 0o6000) !== 0;
  const isSymbolic = text.split(',').some((part) => /^[ugoa]*[+=][rwxXt]*s/.test(part));
  return isNumeric || isSymbolic ? block('lets a program run with its owner’s rights (setuid)') : null;
}

function joinsGroup(command: Command): Concern {
  const isPowerful = command.args.some(({ text }) => text.split(',').some((group) => POWERFUL_GROUPS.test(group)));
  return block(isPowerful ? 'joins a group that is as good as root' : 'changes the users of this machine');
}

function isHelp(command: Command): boolean {
  return command.args.some(({ text }) => text === '--help' || text === '--version');
}
