/** Settings of the machine rather than of the project. */
import { block, type Category, type Concern, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { gitOptions } from '../run/git-commands.ts';

const ALWAYS = [
  'insmod',
  'rmmod',
  'modprobe',
  'setenforce',
  'chsh',
  'chfn',
  'swapoff',
  'swapon',
  'visudo',
  'csrutil',
  'spctl',
  'nvram',
  'kextload',
  'mount',
  'umount',
];
const LOOKING = /^(?:-h|--help|-V|--version|-l|--list|status|show|list|-L|-S|-n)$/;
/** Subcommands that change something, for programs that also only look. */
const CHANGES: Readonly<Record<string, RegExp>> = {
  systemctl: /^(?:stop|disable|mask|restart|kill|isolate|set-default|daemon-reload|edit|revert)$/,
  service: /^(?:stop|restart)$/,
  iptables: /^(?:-[FXDPAI]|--flush|--policy|--delete|--append|--insert)$/,
  ip6tables: /^(?:-[FXDPAI]|--flush|--policy|--delete)$/,
  nft: /^(?:flush|delete|add)$/,
  ufw: /^(?:disable|reset|delete|allow|deny|default)$/,
  'firewall-cmd': /^--(?:add|remove|panic)/,
  pfctl: /^-[dF]/,
  sysctl: /^(?:-w|--write|-p|--load)$|^[\w.]+=/,
  timedatectl: /^set-/,
  hostnamectl: /^(?:set-|hostname$)/,
  localectl: /^set-/,
  'update-alternatives': /^--(?:set|install|remove|config|auto)/,
  ip: /^(?:set|add|del|delete|flush|change|replace)$/,
  ifconfig: /^(?:down|up|netmask)$/,
  route: /^(?:add|del|delete|flush)$/,
  networksetup: /^-set/,
  scutil: /^--set$/,
  defaults: /^(?:write|delete)$/,
  date: /^(?:-s|--set)/,
  apt: /^(?:remove|purge|autoremove)$/,
  'apt-get': /^(?:remove|purge|autoremove)$/,
  dpkg: /^(?:-r|-P|--remove|--purge)$/,
  yum: /^(?:remove|erase)$/,
  dnf: /^(?:remove|erase)$/,
  pacman: /^-R/,
  brew: /^(?:uninstall|remove|rm)$/,
  snap: /^remove$/,
};
const ONLY_WARNED = ['apt', 'apt-get', 'brew', 'snap', 'yum', 'dnf', 'pacman', 'defaults', 'dpkg', 'service', 'docker'];

export const systemConfig: Category = {
  number: 11,
  name: 'system configuration',
  instead: 'Change the settings of the project, not those of the machine.',
  look(command) {
    const { name } = command;
    const words = command.args.map(({ text }) => text);
    if (name === 'git') return changesGit(command);
    if (ALWAYS.includes(name))
      return words.length === 0 || words.some((text) => LOOKING.test(text))
        ? null
        : block(`${name} changes the system`);
    const changes = Object.hasOwn(CHANGES, name) ? CHANGES[name] : undefined;
    if (changes === undefined || words.includes('--user')) return null;
    const found = words.find((text) => changes.test(text));
    if (found === undefined) return null;
    return ONLY_WARNED.includes(name)
      ? warn(`changes the system (${name} ${found})`)
      : block(`changes the system (${name} ${found})`);
  },
};

/** Settings of git for everybody on this machine; reading them is fine. */
function changesGit(command: Command): Concern | null {
  const [subcommand, ...args] = gitOptions(command).operands;
  if (subcommand?.text !== 'config') return null;
  const options = readOptions(args, { letters: 'f', names: ['file'] });
  const reads =
    options.has('get', 'get-all', 'list', 'l', 'get-regexp') ||
    (options.operands.length < 2 && !options.has('unset', 'unset-all'));
  if (reads || !options.has('global', 'system')) return null;
  return warn(
    'changes git’s settings for all of this user’s projects',
    'Leave out --global, so that it applies to this project only.',
  );
}
