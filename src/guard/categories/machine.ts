/** The machine around the project: permissions, processes, scheduled jobs, settings, the environment. */
import type { Category, Concern, Context, Look } from '../category.ts';
import { begins, block, byProgram, looksBy, unless, warn, when, worst } from '../category.ts';
import { type Command, hasWord, readOptions, table, textsOf, variablesSetBy } from '../command.ts';
import { zoneOf } from '../paths.ts';
import { gitOptions, gitSettings, RUN_BY_GIT } from '../run/git-commands.ts';

const POWERFUL_GROUPS = /^(?:sudo|wheel|docker|root|admin|adm|lxd|disk|libvirt)$/;

const privilege: Category = {
  number: 7,
  name: 'privilege escalation',
  instead: 'Do it without root; if that is impossible, say so and stop with <promise>BLOCKED:reason</promise>.',
  look: byProgram({
    'sudo doas pkexec': becomesRoot,
    'su runuser': unless(/^--(?:help|version)$/, block('becomes another user')),
    // Only the set-user and set-group bits: `chmod 755`, `chmod +x` and the sticky bit are everyday work.
    chmod: (command) => {
      const [mode] = readOptions(command.args.filter(({ text }) => !/^-[rwx]+$/.test(text))).operands;
      const text = mode?.text ?? '';
      const isNumeric = /^0?[2-7][0-7]{3}$/.test(text) && (Number.parseInt(text, 8) & 0o6000) !== 0;
      const isSymbolic = text.split(',').some((part) => /^[ugoa]*[+=][rwxXt]*s/.test(part));
      return isNumeric || isSymbolic ? block('lets a program run with its owner’s rights (setuid)') : null;
    },
    setcap: block('gives a program more rights'),
    'visudo chpasswd': block('changes who may do what on this machine'),
    passwd: ({ args }) => (readOptions(args).has('S', 'status') ? null : block('changes a password')),
    'usermod gpasswd adduser useradd deluser userdel groupadd dseditgroup': ({ words }) => {
      const isPowerful = words.some((text) => hasWord(text.split(','), POWERFUL_GROUPS));
      return block(isPowerful ? 'joins a group that is as good as root' : 'changes the users of this machine');
    },
  }),
};

function becomesRoot(command: Command): Concern | null {
  const options = readOptions(command.args, '-ugpCDhRrtTU user group prompt chdir', 'leading');
  const [inner] = options.operands;
  if (options.has('l', 'list', 'v', 'validate', 'k', 'K', 'V', 'version') && inner === undefined) return null;
  if (options.has('i', 's', 'login', 'shell')) return block('opens a shell as root');
  if (options.has('S', 'stdin') && command.input.from.length > 0) return block('hands a password to sudo');
  const isShell = /^(?:su|(?:ba|z|da)?sh)$/.test(inner?.text ?? '') && options.operands.length === 1;
  return isShell ? block('opens a shell as root') : warn(`runs as root (${command.name})`);
}

const POWER_UNITS = /^(?:reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|exit)$/;
/** The loop's own processes have these names. */
const OURS = /(?:^|[^a-z])(?:ralph|claude|swarm)(?:[^a-z]|$)/i;
const ANYTHING = /^(?:\.?\*?|\.\+|\^|\$)$/;
const POWERED_OFF = block('stops or restarts the machine');

const processes: Category = {
  number: 14,
  name: 'process or system control',
  instead: 'Kill only processes that you started, by their pid.',
  look: byProgram({
    kill: kills,
    'killall pkill skill': killsByName,
    fuser: ({ args }) => (readOptions(args).has('k', 'kill') ? warn('kills every process that uses it') : null),
    init: ({ words }) => (/^[0-6Ss]$/.test(words[0] ?? '') ? block('changes the run level') : null),
    systemctl: when(POWER_UNITS, POWERED_OFF),
    osascript: when(/\b(?:shut down|restart|log out|sleep)\b/, POWERED_OFF),
    'shutdown reboot halt poweroff telinit': unless(/^(?:-c|--help|--version)$/, POWERED_OFF),
    'pm-suspend pm-hibernate rtcwake killall5': unless(/^(?:-c|--help|--version)$/, POWERED_OFF),
  }),
};

function kills({ words, args, input }: Command): Concern | null {
  if (words.includes('-l') || words.includes('-L')) return null;
  const [first = ''] = words;
  const isSignal = /^-(?:\d{1,2}|[A-Z][A-Z0-9+]*)$/.test(first) && words.length > 1;
  const pids = words.slice(/^(?:-s|-n|--signal)$/.test(first) ? 2 : isSignal ? 1 : 0).filter((text) => text !== '--');
  if (pids.some((pid) => ['-1', '0', '1'].includes(pid)))
    return block(`kills processes that you did not start (${pids.join(' ')})`);
  const sources = [...args, input].flatMap(({ from }) => from);
  const isOurs = sources.some((each) => /^(?:pgrep|pidof|ps|grep)$/.test(each.name) && hasWord(each.words, OURS));
  return isOurs ? block('kills the loop that is running you') : null;
}

function killsByName(command: Command): Concern | null {
  const args = command.args.filter(({ text }) => !/^-(?:\d+|[A-Z]{3,})$/.test(text));
  const options = readOptions(args, '-usgGPtUF signal user uid euid pgroup parent');
  const patterns = textsOf(options.operands);
  if (hasWord(patterns, OURS)) return block('kills the loop that is running you');
  if (hasWord(patterns, ANYTHING) || (patterns.length === 0 && options.has('u', 'user', 'uid', 'U')))
    return block('kills every process');
  return patterns.length === 0 ? null : warn(`kills every process with that name (${patterns.join(' ')})`);
}

const GIT_LOADS =
  /^(?:core\.hookspath|init\.templatedir|include\.path|includeif\..+\.path|url\..+\.(?:push)?insteadof)$/i;
/** Harmless values: no program, or one that many projects use. */
const HARMLESS_VALUE = /^(?:|\.husky(?:\/_)?|\.githooks|cat|less|vim?|nano|true|false|code --wait)$/;
const AT_BOOT = block('starts a service at boot or login');

const persistence: Category = {
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
  const { operands } = readOptions(args, '-f file');
  const [name, value] = operands[0]?.text === 'set' ? operands.slice(1) : operands;
  if (name === undefined || value === undefined || HARMLESS_VALUE.test(value.text)) return null;
  if (!GIT_LOADS.test(name.text) && !RUN_BY_GIT.test(name.text)) return null;
  // Many projects use a hooks folder of their own, so this is only a warning.
  const isOwnFolder = /hookspath/i.test(name.text) && /^[\w-][\w./-]*$/.test(value.text) && !value.text.includes('..');
  if (isOwnFolder) return warn(`makes git run the hooks in ${value.text}`);
  return block(`makes git run a program from now on (${name.text})`);
}

const LOOKING = /^(?:-h|--help|-V|--version|-l|--list|status|show|list|-L|-S|-n)$/;

const systemConfig: Category = {
  number: 11,
  name: 'system configuration',
  instead: 'Change the settings of the project, not those of the machine.',
  look: byProgram({
    git: changesGit,
    'insmod rmmod modprobe setenforce chsh chfn swapoff swapon visudo': looksBy('the system', LOOKING),
    'csrutil spctl nvram kextload mount umount': looksBy('the system', LOOKING),
    // Programs that can also just show something, and the words with which they change something.
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

/** Git settings that apply to more than this project; reading them is fine. */
function changesGit(command: Command): Concern | null {
  const [subcommand, ...args] = gitOptions(command).operands;
  if (subcommand?.text !== 'config') return null;
  const options = readOptions(args, '-f file');
  const reads =
    options.has('get', 'get-all', 'list', 'l', 'get-regexp') ||
    (options.operands.length < 2 && !options.has('unset', 'unset-all'));
  if (reads || !options.has('global', 'system')) return null;
  return warn(
    'changes git’s settings for all of this user’s projects',
    'Leave out --global, so that it applies to this project only.',
  );
}

const LOADS = table({
  'LD_PRELOAD LD_AUDIT GCONV_PATH DYLD_INSERT_LIBRARIES BASH_ENV PYTHONSTARTUP PERL5DB': /./,
  'GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG_PARAMETERS npm_config_script_shell': /./,
  PERL5OPT: /-[MmdI]/,
  RUBYOPT: /-[rI]/,
  'JAVA_TOOL_OPTIONS _JAVA_OPTIONS': /-(?:javaagent|agentpath|agentlib):/,
  TAR_OPTIONS: /--(?:checkpoint-action|to-command|use-compress-program)|-I/,
});
const INSECURE = table({ 'NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY': /^0$/, GIT_SSL_NO_VERIFY: /^(?:1|true)$/ });
const HISTORY = /^(?:HISTFILE|HISTSIZE|HISTCONTROL)$/;
const HIDES = warn('turns off or clears the shell history');
/** Settings of the harness itself. */
const OUR_SETTINGS = /^(?:RALPH_GUARD|RALPH_ALLOWED_COMMANDS|CLAUDE_CODE_STOP_HOOK_BLOCK_CAP)$/;

const environment: Category = {
  number: 13,
  name: 'environment or PATH manipulation',
  instead: 'Call the program by its full path, or set the variable for a single command.',
  look(command, context) {
    const { name, words } = command;
    if (name === 'unset') return worst(words.map(removes));
    if (name === 'history' && hasWord(words, /^-[cw]/)) return HIDES;
    return worst(variablesSetBy(command).map((set) => sets(set.name, set.value.text, command, context)));
  },
};

function sets(name: string, value: string, { cwd }: Command, context: Context): Concern | null {
  if (name === 'PATH') return setsPath(value);
  if (OUR_SETTINGS.test(name)) return block(`changes the guard’s own settings (${name})`);
  if (LOADS.get(name)?.test(value) === true) return block(`makes other programs load code (${name})`);
  if (name === 'NODE_OPTIONS') {
    const [, path = ''] = /(?:--require|--import|--loader|-r)[= ]([^\s]+)/.exec(value) ?? [];
    const isForeign = /^[/~.]/.test(path) && zoneOf(path, cwd, context) !== 'project';
    return isForeign ? block('makes every Node process load code (NODE_OPTIONS)') : null;
  }
  if (HISTORY.test(name) && /^(?:0|\/dev\/null|)$/.test(value)) return HIDES;
  return INSECURE.get(name)?.test(value) === true ? warn(`turns off certificate checks (${name})`) : null;
}

/** The old PATH must be kept; a temporary folder before it could hold a fake `ls`. */
function setsPath(value: string): Concern | null {
  const parts = value.split(':');
  if (value === '') return block('empties PATH');
  if (!hasWord(parts, /\0|^\/(?:usr\/)?bin$/)) return block('replaces PATH');
  const isFirstTemporary = /^\/(?:var\/)?tmp(?:\/|$)|^\.$/.test(parts[0] ?? '');
  return isFirstTemporary ? warn('puts a temporary folder first in PATH') : null;
}

function removes(name: string): Concern | null {
  if (name === 'PATH') return block('removes PATH');
  if (OUR_SETTINGS.test(name)) return block(`changes the guard’s own settings (${name})`);
  return HISTORY.test(name) ? HIDES : null;
}

export const MACHINE: readonly Category[] = [privilege, systemConfig, environment, processes, persistence];
