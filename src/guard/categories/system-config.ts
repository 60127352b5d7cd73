/** Settings of the machine rather than of the project. */
import { block, byProgram, type Category, type Concern, type Look, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { gitOptions } from '../run/git-commands.ts';

const LOOKING = /^(?:-h|--help|-V|--version|-l|--list|status|show|list|-L|-S|-n)$/;

export const systemConfig: Category = {
  number: 11,
  name: 'system configuration',
  instead: 'Change the settings of the project, not those of the machine.',
  look: byProgram({
    git: changesGit,
    'insmod rmmod modprobe setenforce chsh chfn swapoff swapon visudo csrutil spctl nvram kextload mount umount': ({
      name,
      words,
    }) => (words.length === 0 || words.some((text) => LOOKING.test(text)) ? null : block(`${name} changes the system`)),
    // Programs that also only look, and the words by which they change something.
    systemctl: changes(block, /^(?:stop|disable|mask|restart|kill|isolate|set-default|daemon-reload|edit|revert)$/),
    service: changes(warn, /^(?:stop|restart)$/),
    iptables: changes(block, /^(?:-[FXDPAI]|--flush|--policy|--delete|--append|--insert)$/),
    ip6tables: changes(block, /^(?:-[FXDPAI]|--flush|--policy|--delete)$/),
    nft: changes(block, /^(?:flush|delete|add)$/),
    ufw: changes(block, /^(?:disable|reset|delete|allow|deny|default)$/),
    'firewall-cmd': changes(block, /^--(?:add|remove|panic)/),
    pfctl: changes(block, /^-[dF]/),
    sysctl: changes(block, /^(?:-w|--write|-p|--load)$|^[\w.]+=/),
    'timedatectl localectl': changes(block, /^set-/),
    hostnamectl: changes(block, /^(?:set-|hostname$)/),
    'update-alternatives': changes(block, /^--(?:set|install|remove|config|auto)/),
    ip: changes(block, /^(?:set|add|del|delete|flush|change|replace)$/),
    ifconfig: changes(block, /^(?:down|up|netmask)$/),
    route: changes(block, /^(?:add|del|delete|flush)$/),
    networksetup: changes(block, /^-set/),
    scutil: changes(block, /^--set$/),
    defaults: changes(warn, /^(?:write|delete)$/),
    date: changes(block, /^(?:-s|--set)/),
    'apt apt-get': changes(warn, /^(?:remove|purge|autoremove)$/),
    dpkg: changes(warn, /^(?:-r|-P|--remove|--purge)$/),
    'yum dnf': changes(warn, /^(?:remove|erase)$/),
    pacman: changes(warn, /^-R/),
    brew: changes(warn, /^(?:uninstall|remove|rm)$/),
    snap: changes(warn, /^remove$/),
  }),
};

function changes(say: (why: string) => Concern, word: RegExp): Look {
  return ({ name, words }) => {
    const found = words.includes('--user') ? undefined : words.find((text) => word.test(text));
    return found === undefined ? null : say(`changes the system (${name} ${found})`);
  };
}

/** Git's settings for more than this project; reading them is fine. */
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
