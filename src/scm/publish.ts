/** One step outward: commit, push or another task. A commit is made once, even if the supervisor dies meanwhile. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CommitScope, PublishSpec } from '../core/action.ts';
import { OWN_FILES } from '../core/closing/git-status.ts';
import { describeExit, type Exit } from '../core/outcome.ts';
import type { Published } from '../core/record.ts';
import type { Duration } from '../core/time.ts';
import { type CommandRun, endCutOff, refusalsOf, runToFile } from '../process/command.ts';
import { ifThere, writeFile } from '../process/files.ts';
import type { Host } from '../process/host.ts';
import { LaunchError } from '../process/launch.ts';
import { type GitLook, gitBy, headCommit, programsOn } from './git.ts';

export interface PublishRun extends Omit<CommandRun, 'argv' | 'output' | 'outside'> {
  readonly what: PublishSpec;
  readonly name: string;
  readonly cutOff: readonly { readonly name: string; readonly mark: string }[];
}

/** A cut-off git may be running the user's hooks; it is given this long. */
const LET_FINISH: Duration = 120_000;

/** Null when it was ended before it was through. */
export async function publish(run: PublishRun, host: Host): Promise<Published | null> {
  const { what, folder, cutOff, grace } = run;
  const marks = cutOff.map(({ mark }) => mark);
  await endCutOff(folder, marks, grace, LET_FINISH);
  if (what.task !== 'commit') return outward(run, host);
  return basename(what.command) === 'git' ? commit(run, host) : runTask(run, ['commit', '-am', what.message], host);
}

/** It needs the user's keys: it runs outside, if the repository is still the same, without hooks of the work tree's own. */
async function outward(run: PublishRun, host: Host): Promise<Published | null> {
  const { what } = run;
  if (host.enclosure === undefined) return runTask(run, [what.task], host);
  const problem = host.enclosure.outsideProblem();
  if (problem !== null) return published(what, 'failed', `${what.command} ${what.task} is not run: ${problem}`);
  const next = Number(host.env.GIT_CONFIG_COUNT) || 0;
  const setting = { [`GIT_CONFIG_KEY_${next}`]: 'core.hooksPath', [`GIT_CONFIG_VALUE_${next}`]: '/dev/null' };
  const extraEnv = { ...run.extraEnv, GIT_CONFIG_COUNT: String(next + 1), ...setting };
  return runTask({ ...run, extraEnv, outside: true }, [what.task], host);
}

/** Known of git only: another program is asked when it commits. */
export async function hasNothingToCommit({ command, stage }: CommitScope, run: LookPlace, host: Host) {
  if (basename(command) !== 'git') return false;
  const untracked = `--untracked-files=${stage === 'all' ? 'normal' : 'no'}`;
  const { ok, stdout } = await lookOf(run, host)(['status', '--porcelain', untracked]);
  return ok && stdout === '';
}

type LookPlace = Pick<PublishRun, 'cwd' | 'folder' | 'mark'>;

function lookOf(run: LookPlace, host: Host): GitLook {
  return gitBy(programsOn(host, run.cwd, refusalsOf(run)));
}

async function commit(run: PublishRun, host: Host): Promise<Published | null> {
  const { what } = run;
  const look = lookOf(run, host);
  const head = await headCommit(look);
  if (await alreadyMade(run, head, host)) return madeCommit(what, look);
  if (what.stage === 'all') await look(['add', '--all']);
  if (await hasNothingToCommit({ command: what.command, stage: 'tracked' }, run, host))
    return withLeftBehind(published(what, 'nothing', 'nothing to commit'), run, host);
  writeFile(baseFile(run, run.name), head ?? '', { mode: 0o600 });
  const result = await runTask(run, ['commit', what.stage === 'all' ? '-m' : '-am', what.message], host);
  if (result?.status !== 'done') return result;
  return withLeftBehind(await madeCommit(what, look), run, host);
}

/** One question for both: a commit's hash, and how much it changed. Neither a signature nor a driver of diffs is shown. */
const MADE = [
  'log',
  '-1',
  '--format=%H',
  '--shortstat',
  '--no-show-signature',
  '--no-ext-diff',
  '--no-textconv',
] as const;

async function madeCommit(what: PublishSpec, look: GitLook): Promise<Published> {
  const { stdout } = await look(MADE);
  const [hash = '', ...stat] = stdout.split('\n');
  const [, files, added = '0', removed = '0'] =
    /^ (\d+) [^,]*(?:, (\d+) [^,]*\(\+\))?(?:, (\d+) [^,]*\(-\))?$/m.exec(stat.join('\n')) ?? [];
  const done = published(what, 'done', hash);
  if (files === undefined) return done;
  return { ...done, changed: { files: Number(files), added: Number(added), removed: Number(removed) } };
}

async function withLeftBehind(done: Published, run: PublishRun, host: Host): Promise<Published> {
  const { ok, stdout } = await lookOf(run, host)(['ls-files', '--others', '--exclude-standard', '-z']);
  const untracked = ok ? stdout.split('\0').filter((path) => path !== '' && !OWN_FILES.test(path)) : [];
  if (untracked.length === 0) return done;
  // A warning that names more is not read.
  return { ...done, leftBehind: { count: untracked.length, names: untracked.slice(0, 10) } };
}

/** Did an attempt that was cut off get as far as its commit? Then HEAD has moved from its base, with its message. */
async function alreadyMade(run: PublishRun, head: string | null, host: Host): Promise<boolean> {
  const bases = run.cutOff.map(({ name }) => ifThere(() => readFileSync(baseFile(run, name), 'utf8')));
  const base = bases.findLast((commit) => commit !== null);
  if (base === undefined || head === null || head === base) return false;
  const { stdout } = await lookOf(run, host)(['log', '-1', '--format=%B']);
  return tidied(stdout) === tidied(run.what.message);
}

/** Holds where HEAD stood before the attempt. */
function baseFile({ folder }: PublishRun, name: string): string {
  return join(folder, `${name}.base`);
}

/** Git takes out blanks at line ends and doubled blank lines. */
function tidied(message: string): string {
  const lines = message.replaceAll(/[ \t]+$/gm, '');
  return lines.replaceAll(/\n{3,}/g, '\n\n').trim();
}

type TaskRun = PublishRun & Pick<CommandRun, 'outside'>;

async function runTask(run: TaskRun, args: readonly string[], host: Host): Promise<Published | null> {
  const { what } = run;
  const output = join(run.folder, `${run.name}.out`);
  let exit: Exit | null;
  try {
    exit = await runToFile({ ...run, argv: [what.command, ...args], output }, host);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    return published(what, 'failed', error.message);
  }
  if (exit === null) return null;
  if (exit.by === 'code' && exit.code === 0) return published(what, 'done', '');
  const said = host.mask(readFileSync(output, 'utf8').trim().slice(0, 2000));
  const reason = `${what.command} ${what.task}: ${describeExit(exit)}`;
  return published(what, 'failed', said === '' ? reason : `${reason}: ${said}`);
}

function published(what: PublishSpec, status: Published['status'], detail: string): Published {
  return { index: what.index, task: what.task, status, detail };
}
