/** `ralph install-hooks`: installs the /ralph-loop commands for an agent, and removes them again. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { styleText } from 'node:util';
import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';
import type { HostName } from '../agents/session/host.ts';
import { INSTALLATIONS } from '../agents/session/installations.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { plural } from '../core/budget/usage.ts';
import { EXIT_INTERRUPTED } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { quoteWord } from '../core/text/quote-word.ts';
import { realPath } from '../process/files.ts';
import { printable } from '../stream/printable.ts';
import type { Change, Installation, Plan } from './install-hooks/plan.ts';
import { carryOut, planInstall, planRemove, readReceipt } from './install-hooks/plan.ts';
import { confirm } from './terminal/ask.ts';

export interface InstallHooksFlags {
  readonly project?: boolean;
  readonly user?: boolean;
  readonly remove?: boolean;
  readonly yes?: boolean;
}

const EXIT_DECLINED = 1;

/** `dist` is the folder of the built package. */
export async function installHooksCommand(host: HostName, flags: InstallHooksFlags, dist: string): Promise<number> {
  const environment = readEnvironment();
  const scope = scopeOf(flags);
  const isRemoval = flags.remove === true;
  if (!isRemoval) refuseShortLived(dist);
  const wiring = wiringOf(host, scope, environment, dist);
  const place = { root: environment.root, agent: host, folder: wiring.folder };
  const receipt = readReceipt(place);
  const plan = isRemoval ? planRemove(wiring, receipt) : planInstall(wiring, receipt);
  const root = scope === 'project' ? repositoryAbove(process.cwd()) : null;
  for (const path of plan.left) say(`${path} is left as it is: it was changed, or was not created by ralph.`);
  if (plan.changes.length === 0) {
    say(
      `Nothing to change: ${isRemoval ? 'no hooks of ralph are installed' : 'the hooks are installed'} (${wiring.folder}).`,
    );
    if (root !== null) say(noteOfRoot(root, host, isRemoval));
    return 0;
  }
  showDifference(plan, wiring, environment);
  if (root !== null) say(`\n${noteOfRoot(root, host, isRemoval)}`);
  say(`\n${printable(summaryOf(plan, { ...wiring, cwd: process.cwd() }, isRemoval))}`);
  const answer =
    flags.yes === true
      ? 'yes'
      : await confirm(`${isRemoval ? 'Remove' : 'Install'}? (y/N): `, 'Look at the difference above, and add --yes.');
  if (answer !== 'yes') {
    say('Nothing was changed.');
    return answer === 'no' ? EXIT_DECLINED : EXIT_INTERRUPTED;
  }
  carryOut(plan, place, receipt);
  say(`${isRemoval ? 'Removed from' : 'Installed in'} ${wiring.folder}.`);
  if (!isRemoval) for (const note of wiring.notes) say(`\n${note}`);
  return 0;
}

/** The hooks contain paths into this package, which has to stay where it is. */
function refuseShortLived(dist: string): void {
  if (!dist.split(sep).includes('_npx')) return;
  const hint = 'Install it first: npm install -g ralph-harness';
  throw new RalphError('SHORT_LIVED', `ralph runs from the cache of npx, which is emptied from time to time: ${dist}`, {
    hint,
  });
}

/** Package managers install each release of node in its own folder, and link to it from one of these. */
const STEADY = ['/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin', '/usr/local/bin', '/usr/bin'];

/** A path of node that stays valid when node is updated, if there is one. */
export function steadyNode(execPath: string, home: string): string {
  const names = [...STEADY, join(home, '.local/bin')].map((folder) => join(folder, 'node'));
  const target = existsSync(execPath) ? realPath(execPath) : null;
  return names.find((name) => existsSync(name) && realPath(name) === target) ?? execPath;
}

/** The root of the repository around a folder; null if the folder is the root, or outside of any repository. */
function repositoryAbove(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at === folder ? null : at;
    if (at === dirname(at)) return null;
  }
}

function scopeOf({ project = false, user = false }: InstallHooksFlags): Scope {
  if (!project || !user) return user ? 'user' : 'project';
  const hint = 'Use one; the default is this project.';
  throw new RalphError('SCOPE', '--project and --user exclude each other', { hint });
}

function noteOfRoot(root: string, host: HostName, isRemoval: boolean): string {
  const command = `cd ${quoteWord(root)} && ralph install-hooks ${host}${isRemoval ? ' --remove' : ''}`;
  const note = `Note: this is a folder below the root of a repository, and an agent that is started there does not look here. For the root: ${command}`;
  return printable(note);
}

/** The settings come last, right above the question, because they also contain what others wrote. */
function showDifference({ changes }: Plan, { settings }: Wiring, { color }: Environment): void {
  const rank = ({ path }: Change) => (path === settings?.path ? 1 : 0);
  const ordered = changes.toSorted((a, b) => rank(a) - rank(b));
  const isColored = process.stdout.isTTY && color;
  const colorOf = (line: string) => (line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'cyan');
  const lines = ordered.flatMap(unifiedDiff).map((line) => printable(line));
  for (const line of lines) say(isColored && /^[-+@]/.test(line) ? styleText(colorOf(line), line) : line);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function unifiedDiff({ path, before, after }: Change): string[] {
  const options = { context: 3, headerOptions: OMIT_HEADERS };
  const patch = createTwoFilesPatch(path, path, before ?? '', after ?? '', undefined, undefined, options);
  const names = [`--- ${before === null ? '/dev/null' : path}`, `+++ ${after === null ? '/dev/null' : path}`];
  return [...names, ...patch.slice(0, -1).split('\n')];
}

/** What happens to a file: what the summary calls it, and the word before its folder. */
const FATES = [
  { what: 'new file', where: 'in', is: ({ before }: Change) => before === null },
  { what: 'changed file', where: 'in', is: ({ before, after }: Change) => before !== null && after !== null },
  { what: 'file', where: 'away from', is: ({ after }: Change) => after === null },
];

/** Sums up the difference, which may have scrolled away. Paths within `cwd` are relative to it. */
export function summaryOf(
  { changes }: Plan,
  { folder, settings, cwd }: Pick<Wiring, 'folder' | 'settings'> & { readonly cwd: string },
  isRemoval: boolean,
): string {
  const shown = (path: string): string => {
    const way = relative(cwd, path);
    return isAbsolute(way) || way.split(sep)[0] === '..' ? path : way;
  };
  const number = Object.keys(settings?.groups ?? {}).length;
  const hooks = isRemoval ? "ralph's hooks out of" : `${plural(number, 'hook')} into`;
  const shared = changes.filter(({ path }) => path === settings?.path).map(({ path }) => `${hooks} ${shown(path)}`);
  const others = changes.filter(({ path }) => path !== settings?.path);
  const places = new Set(others.map(({ path }) => placeOf(folder, path)));
  const files = [...places].flatMap((place) =>
    FATES.flatMap(({ what, where, is }) => {
      const number = others.filter((change) => placeOf(folder, change.path) === place && is(change)).length;
      return number > 0 ? [`${plural(number, what)} ${where} ${shown(place)}/`] : [];
    }),
  );
  return `${[...shared, ...files].join(', ')}.`;
}

/** At most one level below the agent's folder: a skill has its own folder deeper down. */
function placeOf(folder: string, path: string): string {
  const [first = '', ...deeper] = relative(folder, path).split(sep);
  return deeper.length === 0 ? folder : `${folder}${sep}${first}`;
}

type Scope = 'project' | 'user';

interface Wiring extends Installation {
  /** The agent's folder, which contains all files. */
  readonly folder: string;
  /** Printed after an installation. */
  readonly notes: readonly string[];
}

/** Where an agent's configuration is, and what goes into it. */
function wiringOf(host: HostName, scope: Scope, { variables }: Environment, dist: string): Wiring {
  const { settings, notes, allowsComments = false, ...agent } = INSTALLATIONS[host];
  const home = variables.HOME || homedir();
  const hook = [steadyNode(process.execPath, home), join(dist, 'hooks/session-loop.cjs'), host];
  const ours = { dist, plugin: join(dist, '../plugin') };
  const folder = scope === 'project' ? join(process.cwd(), agent.folder) : agent.userFolder(home, variables);
  const files = Object.entries(agent.files(hook, ours)).map(([path, text]) => [join(folder, path), text] as const);
  const groups = agent.hooks?.(hook, ours) ?? {};
  return {
    folder,
    notes: scope === 'project' ? [...notes, OF_THIS_MACHINE] : notes,
    settings: settings === undefined ? null : { path: join(folder, settings), comments: allowsComments, groups },
    files: Object.fromEntries(files),
  };
}

const OF_THIS_MACHINE =
  'These files contain paths of this machine: do not commit them for others, or use --user. After node or ralph has moved, run this again.';
