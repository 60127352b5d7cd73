/** One outward step: a commit, a push or another task. A commit is made only once, even if its supervisor dies. */
import { randomUUID } from 'node:crypto';
import { readFileSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CommitScope, PublishSpec } from '../core/action.ts';
import { OWN_FILES, type StatusAnswer } from '../core/closing/git-status.ts';
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

/** A git that was cut off may be running the user's hooks; it gets this long to finish. */
const LET_FINISH: Duration = 120_000;

/** Null if it was ended before it was done. */
export async function publish(run: PublishRun, host: Host): Promise<Published | null> {
  const { what, folder, cutOff, grace } = run;
  const marks = cutOff.map(({ mark }) => mark);
  await endCutOff(folder, marks, grace, LET_FINISH);
  if (what.task !== 'commit') return outward(run, host);
  return basename(what.command) === 'git' ? commit(run, host) : runTask(run, ['commit', '-am', what.message], host);
}

/** It needs the user's keys, so it runs outside the sandbox, without hooks, if the repository is still the same. */
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

/** Only git can be asked; other programs find out when they commit. */
export async function hasNothingToCommit({ command, stage }: CommitScope, run: LookPlace, host: Host) {
  if (basename(command) !== 'git') return false;
  const untracked = `--untracked-files=${stage === 'all' ? 'normal' : 'no'}`;
  const { ok, stdout } = await lookOf(run, host)(['status', '--porcelain', COMMITTABLE, untracked]);
  return ok && stdout === '';
}

/** Uncommitted work in a submodule is in no commit of this repository. */
const COMMITTABLE = '--ignore-submodules=dirty';

type LookPlace = Pick<PublishRun, 'cwd' | 'folder' | 'mark'>;

function lookOf(run: LookPlace, host: Host): GitLook {
  return gitBy(programsOn(host, run.cwd, refusalsOf(run)));
}

/** Starts only two programs: in a sandbox, starting one takes longer than what it does. */
async function commit(run: PublishRun, host: Host): Promise<Published | null> {
  const { what } = run;
  if (await alreadyMade(run, host)) return madeCommit(what, await lookOf(run, host)(MADE));
  const { head, hasChanges, untracked } = await stagedWork(run, host);
  const leftBehind = leftBehindOf(untracked);
  if (!hasChanges) return { ...published(what, 'nothing', 'nothing to commit'), ...leftBehind };
  writeFile(baseFile(run, run.name), head ?? '', { mode: 0o600 });
  const mark = randomUUID();
  const args = ['commit', what.stage === 'all' ? '-m' : '-am', what.message];
  const argv = ['sh', '-c', COMMIT_AND_LOOK, 'ralph-commit', mark, what.command, ...args] as const;
  const result = await runProgram(run, argv, host);
  if (result?.status !== 'done') return result;
  return { ...madeCommit(what, { stdout: cutFrom(outputOf(run), `\n${mark}\n`) }), ...leftBehind };
}

/** One query for both: a commit's hash, and how much it changed. Shows no signature, and runs no diff driver. */
const MADE = [
  'log',
  '-1',
  '--format=%H',
  '--shortstat',
  '--no-show-signature',
  '--no-ext-diff',
  '--no-textconv',
] as const;

/** The query's output comes last, after a mark. A hook that forges it can have another hash shown, but nothing more. */
const COMMIT_AND_LOOK = [
  'mark=$1; shift; "$@" || exit',
  `printf '\\n%s\\n' "$mark"`,
  `git --no-optional-locks ${MADE.join(' ')} 2>/dev/null`,
  'exit 0',
].join('; ');

/** Cuts what follows the mark out of the file, which keeps the output of git and its hooks. */
function cutFrom(file: string, mark: string): string {
  const text = readFileSync(file);
  const at = text.lastIndexOf(mark);
  if (at < 0) return '';
  truncateSync(file, at);
  return text.subarray(at + Buffer.byteLength(mark)).toString('utf8');
}

function madeCommit(what: PublishSpec, { stdout }: Pick<StatusAnswer, 'stdout'>): Published {
  const [first = '', ...stat] = stdout.split('\n');
  const [hash = ''] = /^[0-9a-f]{40,64}$/.exec(first) ?? [];
  const [, files, added = '0', removed = '0'] =
    /^ (\d+) [^,]*(?:, (\d+) [^,]*\(\+\))?(?:, (\d+) [^,]*\(-\))?$/m.exec(stat.join('\n')) ?? [];
  const done = published(what, 'done', hash);
  if (files === undefined) return done;
  return { ...done, changed: { files: Number(files), added: Number(added), removed: Number(removed) } };
}

const STAGE = 'git --no-optional-locks add --all; exec "$@"';
const STATUS = ['status', '--porcelain=v2', '--branch', '--no-ahead-behind', '--no-renames', COMMITTABLE, '-z'];

/** Stages what is to be staged; then finds HEAD, whether there is anything to commit, and what is untracked. */
async function stagedWork(run: PublishRun, host: Host) {
  const programs = programsOn(host, run.cwd, refusalsOf(run));
  const staging: GitLook = (argv) => programs(['sh', '-c', STAGE, 'ralph-stage', ...argv]);
  const look = gitBy(run.what.stage === 'all' ? staging : programs);
  const { ok, stdout } = await look([...STATUS, '--untracked-files=all']);
  return statusOf(ok ? stdout : null);
}

/** If git gives no answer, the commit is tried anyway: git's error is then about the commit. */
function statusOf(stdout: string | null) {
  const entries = stdout?.split('\0') ?? [];
  const after = (beginning: string): string[] =>
    entries.filter((entry) => entry.startsWith(beginning)).map((entry) => entry.slice(beginning.length));
  const [head = '(initial)'] = after('# branch.oid ');
  const hasChanges = stdout === null || entries.some((entry) => /^[12u] /.test(entry));
  return { head: head === '(initial)' ? null : head, hasChanges, untracked: after('? ') };
}

function leftBehindOf(paths: readonly string[]): Pick<Published, 'leftBehind'> {
  const untracked = paths.filter((path) => !OWN_FILES.test(path));
  if (untracked.length === 0) return {};
  // A warning with more names would not be read.
  return { leftBehind: { count: untracked.length, names: untracked.slice(0, 10) } };
}

/** Did an attempt that was cut off get as far as its commit? Then HEAD has moved from its base, and has its message. */
async function alreadyMade(run: PublishRun, host: Host): Promise<boolean> {
  const bases = run.cutOff.map(({ name }) => ifThere(() => readFileSync(baseFile(run, name), 'utf8')));
  const base = bases.findLast((commit) => commit !== null);
  if (base === undefined) return false;
  const look = lookOf(run, host);
  const head = await headCommit(look);
  if (head === null || head === base) return false;
  const { stdout } = await look(['log', '-1', '--format=%B']);
  return tidied(stdout) === tidied(run.what.message);
}

/** Contains where HEAD was before the attempt. */
function baseFile({ folder }: PublishRun, name: string): string {
  return join(folder, `${name}.base`);
}

/** Like git, removes trailing spaces and doubled blank lines. */
function tidied(message: string): string {
  const lines = message.replaceAll(/[ \t]+$/gm, '');
  return lines.replaceAll(/\n{3,}/g, '\n\n').trim();
}

type TaskRun = PublishRun & Pick<CommandRun, 'outside'>;

function outputOf({ folder, name }: PublishRun): string {
  return join(folder, `${name}.out`);
}

function runTask(run: TaskRun, args: readonly string[], host: Host): Promise<Published | null> {
  return runProgram(run, [run.what.command, ...args], host);
}

async function runProgram(run: TaskRun, argv: CommandRun['argv'], host: Host): Promise<Published | null> {
  const { what } = run;
  const output = outputOf(run);
  let exit: Exit | null;
  try {
    exit = await runToFile({ ...run, argv, output }, host);
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
