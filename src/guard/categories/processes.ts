/** Ending what was not started here, the machine included. */
import { block, byProgram, type Category, type Concern, unless, warn, when } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';

const POWER_UNITS = /^(?:reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|exit)$/;
/** The loop itself runs under these names. */
const OURS = /(?:^|[^a-z])(?:ralph|claude|swarm)(?:[^a-z]|$)/i;
/** A pattern that fits everything. */
const ANYTHING = /^(?:\.?\*?|\.\+|\^|\$)$/;
const POWERED_OFF = block('stops or restarts the machine');

export const processes: Category = {
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
    'shutdown reboot halt poweroff telinit pm-suspend pm-hibernate rtcwake killall5': unless(
      /^(?:-c|--help|--version)$/,
      POWERED_OFF,
    ),
  }),
};

function kills({ words, args, input }: Command): Concern | null {
  if (words.includes('-l') || words.includes('-L')) return null;
  const [first = ''] = words;
  const isSignal = /^-(?:\d{1,2}|[A-Z][A-Z0-9+]*)$/.test(first) && words.length > 1;
  const pids = words.slice(/^(?:-s|-n|--signal)$/.test(first) ? 2 : isSignal ? 1 : 0).filter((text) => text !== '--');
  if (pids.some((pid) => ['-1', '0', '1'].includes(pid)))
    return block(`kills processes that you did not start (${pids.join(' ')})`);
  const isOurs = [...args, input]
    .flatMap(({ from }) => from)
    .some((each) => /^(?:pgrep|pidof|ps|grep)$/.test(each.name) && each.words.some((text) => OURS.test(text)));
  return isOurs ? block('kills the loop that is running you') : null;
}

function killsByName(command: Command): Concern | null {
  const options = readOptions(
    command.args.filter(({ text }) => !/^-(?:\d+|[A-Z]{3,})$/.test(text)),
    { letters: 'usgGPtUF', names: ['signal', 'user', 'uid', 'euid', 'pgroup', 'parent'] },
  );
  const patterns = options.operands.map(({ text }) => text);
  if (patterns.some((text) => OURS.test(text))) return block('kills the loop that is running you');
  if (patterns.some((text) => ANYTHING.test(text)) || (patterns.length === 0 && options.has('u', 'user', 'uid', 'U')))
    return block('kills every process');
  return patterns.length === 0 ? null : warn(`kills every process with that name (${patterns.join(' ')})`);
}
