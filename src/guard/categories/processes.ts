/** Ending what was not started here, the machine included. */
import { block, type Category, type Concern, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';

const POWER = [
  'shutdown',
  'reboot',
  'halt',
  'poweroff',
  'telinit',
  'pm-suspend',
  'pm-hibernate',
  'rtcwake',
  'killall5',
];
const POWER_UNITS = /^(?:reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|exit)$/;
/** The loop itself runs under these names. */
const OURS = /(?:^|[^a-z])(?:ralph|claude|swarm)(?:[^a-z]|$)/i;
/** A pattern that fits everything. */
const ANYTHING = /^(?:\.?\*?|\.\+|\^|\$)$/;

export const processes: Category = {
  number: 14,
  name: 'process or system control',
  instead: 'Kill only processes that you started, by their pid.',
  look(command) {
    const words = command.args.map(({ text }) => text);
    switch (command.name) {
      case 'kill':
        return kills(command);
      case 'killall':
      case 'pkill':
      case 'skill':
        return killsByName(command);
      case 'fuser':
        return readOptions(command.args).has('k', 'kill') ? warn('kills every process that uses it') : null;
      case 'init':
        return /^[0-6Ss]$/.test(words[0] ?? '') ? block('changes the run level') : null;
      case 'systemctl':
        return words.some((text) => POWER_UNITS.test(text)) ? block('stops or restarts the machine') : null;
      case 'osascript':
        return words.some((text) => /\b(?:shut down|restart|log out|sleep)\b/.test(text))
          ? block('stops or restarts the machine')
          : null;
      default:
        if (!POWER.includes(command.name)) return null;
        return words.some((text) => ['-c', '--help', '--version'].includes(text))
          ? null
          : block('stops or restarts the machine');
    }
  },
};

function kills(command: Command): Concern | null {
  const words = command.args.map(({ text }) => text);
  if (words.includes('-l') || words.includes('-L')) return null;
  const isSignal = (text: string) => /^-(?:\d{1,2}|[A-Z][A-Z0-9+]*)$/.test(text);
  const given =
    words[0] === '-s' || words[0] === '-n' || words[0] === '--signal'
      ? words.slice(2)
      : words.slice(isSignal(words[0] ?? '') && words.length > 1 ? 1 : 0);
  const pids = given.filter((text) => text !== '--');
  if (pids.includes('-1') || pids.includes('0') || pids.includes('1'))
    return block(`kills processes that you did not start (${pids.join(' ')})`);
  const found = command.args.flatMap(({ from }) => from).concat(command.input.from);
  const ours = found.some(
    (each) => ['pgrep', 'pidof', 'ps', 'grep'].includes(each.name) && each.args.some(({ text }) => OURS.test(text)),
  );
  return ours ? block('kills the loop that is running you') : null;
}

function killsByName(command: Command): Concern | null {
  const options = readOptions(
    command.args.filter(({ text }) => !/^-(?:\d+|[A-Z]{3,})$/.test(text)),
    {
      letters: 'usgGPtUF',
      names: ['signal', 'user', 'uid', 'euid', 'pgroup', 'parent'],
    },
  );
  const patterns = options.operands.map(({ text }) => text);
  if (patterns.some((text) => OURS.test(text))) return block('kills the loop that is running you');
  if (patterns.some((text) => ANYTHING.test(text)) || (patterns.length === 0 && options.has('u', 'user', 'uid', 'U')))
    return block('kills every process');
  return patterns.length === 0 ? null : warn(`kills every process with that name (${patterns.join(' ')})`);
}
