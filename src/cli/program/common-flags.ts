/** The flags that have the same name for all loops, and why a command that starts or continues a loop lacks one. */

export const COMMON_FLAGS = ['--max-iterations', '-m', '--agent', '--model', '--timeout', '--sandbox'] as const;

type CommonFlag = (typeof COMMON_FLAGS)[number];
type Refusals = Readonly<Partial<Record<CommonFlag, string>>>;

/** `why` fits after a colon; `instead` is a command. */
const because = (why: string, instead: string): string => `${why}; use ${instead}`;

/** A loop keeps what it began with; its journal would not make sense otherwise. */
function keeping(start: string, flags: readonly CommonFlag[], what = 'a loop'): Refusals {
  const kept: Refusals = {
    '--agent': because(`${what} keeps its agent`, `${start} --agent to start a new loop`),
    '--model': because(`${what} keeps its model`, `${start} --model to start a new loop`),
    '--timeout': because(`${what} keeps its time limits`, `${start} --timeout to start a new loop`),
    '--sandbox': because(`${what} keeps its sandbox, or has none`, `${start} --sandbox to start a new loop`),
  };
  return Object.fromEntries(flags.map((flag) => [flag, kept[flag] ?? '']));
}

const WHAT_STAYS = ['--agent', '--model', '--timeout', '--sandbox'] as const;
const setIn = (key: string, flag: string): string =>
  because(`it only writes settings`, `${key} in .ralph/settings.json, or ralph run ${flag}`);
const atResume = because('it keeps the limit it has', 'swarm ralph resume -m');

/** The flags that a command lacks, and why. */
const REFUSED: Readonly<Record<string, Refusals>> = {
  'ralph resume': keeping('ralph run', WHAT_STAYS),
  'ralph init': {
    '--max-iterations': setIn('maximumIterations', '-m'),
    '-m': setIn('maximumIterations', '-m'),
    '--model': setIn('agent.flags', '--model'),
    '--timeout': setIn('agent.timeout', '--timeout'),
    '--sandbox': setIn('sandbox', '--sandbox'),
  },
  'ralph stories resume': {
    ...keeping('ralph stories run', WHAT_STAYS),
    '-m': because('in ralph stories -m is the model, which a loop keeps', '-n, --max-iterations for the limit'),
  },
  'ralph task resume': keeping('ralph task run', ['--sandbox'], 'a task'),
  'ralph job': {
    '--max-iterations': because('a job starts its agent once', 'ralph task run -m'),
    '-m': because('a job starts its agent once', 'ralph task run -m'),
  },
  'ralph session': {
    '--sandbox': because('hooks inside the session write the journal, which a sandbox protects', 'ralph run --sandbox'),
  },
  'ralph fleet run': {
    '--sandbox': because('the workers of a fleet start agents without a sandbox', 'ralph run --sandbox'),
  },
  'swarm ralph resume': keeping('swarm spawn --ralph', WHAT_STAYS),
  'swarm ralph run': {
    ...keeping('swarm spawn --ralph', WHAT_STAYS),
    '--max-iterations': atResume,
    '-m': atResume,
  },
};

/** Null for a flag that is not common, or that the command does not refuse. */
export function refusedCommonFlag(command: string, flag: string): string | null {
  const name = flag === '--maximum-iterations' ? '--max-iterations' : flag.replace(/^--no-(?=sandbox$)/, '--');
  const common = COMMON_FLAGS.find((one) => one === name || (one === '-m' && /^-m./.test(name)));
  const why = common === undefined ? undefined : REFUSED[command]?.[common];
  return why === undefined ? null : `${command} has no ${flag.startsWith('--') ? flag : '-m'}: ${why}`;
}
