/** One clean checkout from creation to removal: runs the setup, then every check, and collects their tests. */
import { createHash } from 'node:crypto';
import { delimiter, join, relative } from 'node:path';
import { filesIn } from '../checks/detect.ts';
import { type Reported, readReportFile } from '../checks/reports/read-file.ts';
import { outcomeOfTests, reportFile } from '../checks/tests.ts';
import { type Checked, type CheckOutcome, type CheckSpec, COMMAND, hasPassed, logSlug } from '../core/check.ts';
import { defined } from '../core/defined.ts';
import { namesOf } from '../core/proof/names-of.ts';
import { isMixed, pinKindOf } from '../core/proof/pins/pins.ts';
import type { AskedProofCheck, ProofRun, ProvedCheck } from '../core/proof/proof.ts';
import { countTests, type TestCase } from '../core/proof/test-case.ts';
import type { Duration } from '../core/time.ts';
import { makeFolders, readPlainBytes } from '../process/files.ts';
import { type Checkout, checkOut, type PutFiles, putFiles } from './checkout.ts';
import { countTests as countTestsOf } from './counting/count-tests.ts';
import { cleanEnvironment } from './environment.ts';
import { putIncluded } from './include.ts';
import { installedIn } from './pins/installed-packages.ts';
import { detectSetup, VENV_PROGRAMS } from './setup.ts';
import type { ProofTrees, TreeFile } from './trees.ts';

/** What a proof needs. */
export interface ProofWorld {
  readonly trees: ProofTrees;
  /** The loop's folder, relative to the top of the work tree. */
  readonly subfolder: string;
  /** The project's work tree: logs are written there, for people and the agent. */
  readonly cwd: string;
  /** A folder for kept files, in the loop's folder. */
  readonly kept: string;
  readonly checkouts: { readonly place: string; readonly name: string };
  /** Without programs of the work tree in its PATH. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Prepares to run programs in a checkout: in a sandbox, if the loop has one. */
  enter(checkout: Checkout, env: NodeJS.ProcessEnv): Promise<InCheckout>;
}

export interface InCheckout {
  /** `name` is unique within the proof. Null if the run was interrupted. */
  run(
    name: string,
    check: CheckSpec,
    at: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<Checked | null>;
  close(): Promise<void>;
}

export interface CleanRunWanted {
  readonly at: string;
  readonly isSnapshot: boolean;
  /** Used in the names of its logs. */
  readonly name: string;
  /** Null to detect it from the project's files. */
  readonly setup: string | null;
  /** If set, a null `setup` means that there is none, and none is detected. */
  readonly isSetupKnown?: true;
  readonly checks: readonly AskedProofCheck[];
  /** Files that must differ from the tree. */
  readonly files?: PutFiles;
  /** Runs a failing check once more, as it may be flaky; an excused one, if its tests are worse than at the start. */
  readonly retries?: { isWorse(command: string, tests: CleanResult['tests']): boolean };
  /** Whether this check may run no tests, because it ran none at the start. */
  mayBeEmpty(command: string): boolean;
}

export interface CleanResult {
  readonly check: ProvedCheck;
  readonly tests: readonly TestCase[] | null;
}

export async function cleanRun(world: ProofWorld, wanted: CleanRunWanted) {
  const { trees, subfolder, signal, checkouts, kept } = world;
  const checkout = await checkOut(trees, wanted, { env: world.env, signal, ...checkouts });
  try {
    if (wanted.files !== undefined) putFiles(checkout.root, wanted.files);
    putIncluded(join(kept, 'included'), checkout.root);
    const cwd = join(checkout.root, subfolder);
    makeFolders(cwd);
    const env = environmentIn(cwd, checkout, world);
    const inside = await world.enter(checkout, env);
    try {
      return await runAll(world, wanted, { checkout, cwd, inside, path: env.PATH ?? '' });
    } finally {
      await inside.close();
    }
  } finally {
    checkout.remove();
  }
}

interface Place {
  readonly checkout: Checkout;
  readonly cwd: string;
  readonly inside: InCheckout;
  readonly path: string;
}

async function runAll(world: ProofWorld, wanted: CleanRunWanted, place: Place) {
  const command = wanted.setup ?? (wanted.isSetupKnown === true ? null : detectedSetup(world, place));
  const guarded = await guardedFiles(world, wanted, place);
  const ran = command === null ? null : await runSetup(command, world, wanted, place);
  const setup = ran === null || !hasPassed(ran) ? ran : withChanged(ran, changedSince(guarded, place.checkout.root));
  const results: CleanResult[] = [];
  const installed = installedIn([place.cwd, place.checkout.root]);
  if (setup !== null && !hasPassed(setup)) return { setup, results, installed };
  let isFirst = true;
  for (const [index, asked] of wanted.checks.entries()) {
    const run = async (time: number): Promise<CleanResult> => {
      if (!isFirst) await putBack(guarded, world, wanted, place);
      isFirst = false;
      return runOne(asked, time === 1 ? `${index}` : `${index}-${time}`, world, wanted, place);
    };
    const first = await run(1);
    results.push(wanted.retries === undefined ? first : await retried(first, asked, run, wanted.retries));
  }
  return { setup, results, installed };
}

/** Digests of the tests and what controls them, before the setup: neither it nor an earlier check may change them. */
async function guardedFiles({ trees }: ProofWorld, { at, files }: CleanRunWanted, { checkout }: Place) {
  const all = [...(await trees.files(at)), ...(files?.keys() ?? [])];
  const paths = all.filter((path) => pinKindOf(path) !== null && !isMixed(path) && !INSTALLED.test(path));
  return new Map(paths.map((path) => [path, digestIn(checkout.root, path)]));
}

/** Folders that a setup may write to. */
const INSTALLED = /(?:^|\/)(?:node_modules|\.venv|venv|\.yarn|\.husky)(?:\/|$)/;

function changedSince(guarded: ReadonlyMap<string, string | null>, root: string): string[] {
  return [...guarded].filter(([path, digest]) => digestIn(root, path) !== digest).map(([path]) => path);
}

/** Restores changed files: a build runs code of the product, which could change the tests of the next check. */
async function putBack(
  guarded: ReadonlyMap<string, string | null>,
  { trees }: ProofWorld,
  { at, files }: CleanRunWanted,
  { checkout: { root } }: Place,
): Promise<void> {
  const before = new Map<string, TreeFile | null>();
  for (const path of changedSince(guarded, root)) {
    before.set(path, files?.has(path) === true ? (files.get(path) ?? null) : await trees.entry(at, path));
  }
  putFiles(root, before);
}

/** Null if it is not a plain file. */
function digestIn(root: string, path: string): string | null {
  const content = readPlainBytes(join(root, path), Number.MAX_SAFE_INTEGER);
  return content === null ? null : createHash('sha256').update(content).digest('hex');
}

function withChanged(setup: ProofRun, changed: readonly string[]): ProofRun {
  if (changed.length === 0) return setup;
  return { ...setup, outcome: { is: 'failed', how: `it changed ${namesOf(changed)}` } };
}

/** How many times a check must pass if it failed before on the same files. */
const SUSPECT_RUNS = 4;

/** Runs a failing check once more, and a suspect one that passes several times: if the results differ, it is flaky. */
async function retried(
  first: CleanResult,
  { command, isSuspect, isExcused }: AskedProofCheck,
  run: (time: number) => Promise<CleanResult>,
  { isWorse }: NonNullable<CleanRunWanted['retries']>,
): Promise<CleanResult> {
  const { is } = first.check.outcome;
  if (isExcused === true) {
    if (!isWorse(command, first.tests)) return first;
    const second = await run(2);
    return isWorse(command, second.tests) ? first : flaky(second, first);
  }
  if (is === 'failed') {
    const second = await run(2);
    return hasPassed(second.check) ? flaky(second, first) : first;
  }
  if (is !== 'passed' || isSuspect !== true) return first;
  for (let time = 2; time <= SUSPECT_RUNS; time++) {
    const again = await run(time);
    if (!hasPassed(again.check)) return flaky(first, again);
  }
  return first;
}

function flaky(passed: CleanResult, { check }: CleanResult): CleanResult {
  const { outcome, durationMs, log, digest, output, truncated } = check;
  const failed = { outcome, durationMs, log, output, truncated, ...defined({ digest }) };
  return { ...passed, check: { ...passed.check, isFlaky: true, failed } };
}

function detectedSetup({ subfolder }: ProofWorld, { checkout, cwd }: Place): string | null {
  return detectSetup(filesIn(cwd)) ?? (subfolder === '' ? null : detectSetup(filesIn(checkout.root)));
}

async function runSetup(
  command: string,
  world: ProofWorld,
  wanted: CleanRunWanted,
  { cwd, inside }: Place,
): Promise<ProofRun> {
  const log = logFile(world, wanted, 'setup');
  const check = {
    kind: COMMAND,
    given: { command },
    index: 0,
    log,
    keepChars: KEPT_CHARS,
    keeps: 'end' as const,
    timeoutMs: SETUP_TAKES_AT_MOST,
  };
  const checked = await inside.run(`${wanted.name}/setup`, check, { cwd, env: {} });
  if (checked === null) throw cutOff(world);
  return runOf(command, checked, world);
}

/** How much of a setup's output is kept. */
const KEPT_CHARS = 5000;
/** Without a limit, a setup that waits for something would block the loop forever. */
const SETUP_TAKES_AT_MOST: Duration = 30 * 60_000;

export async function runOne(
  asked: AskedProofCheck,
  name: string,
  world: ProofWorld,
  wanted: Pick<CleanRunWanted, 'name' | 'mayBeEmpty'>,
  { checkout, cwd, inside, path }: Place,
): Promise<CleanResult> {
  const { kind, given, keepChars, keeps, timeoutMs, command } = asked;
  const reports = join(checkout.reports, name);
  makeFolders(reports, 0o700);
  const counting = kind === COMMAND ? countTestsOf(reports, path, String(given.command)) : null;
  const log = logFile(world, wanted, `${name}_${command}`);
  const called = counting === null ? given : { ...given, command: counting.command };
  const spec = { kind, given: called, index: 0, log, keepChars, timeoutMs, ...defined({ keeps }) };
  const checked = await inside.run(`${wanted.name}/${name}`, spec, { cwd, env: counting?.env ?? {} });
  if (checked === null) throw cutOff(world);
  const run = runOf(command, checked, world);
  // Other kinds of checks have already judged their report.
  const file = typeof given.report === 'string' ? reportFile(given.report, cwd) : log;
  const own = file === null ? null : readReportFile(file).tests;
  const { tests, unread }: Reported = counting?.counted() ?? { tests: own };
  const outcome = counting === null ? run.outcome : withTests(run.outcome, tests, wanted.mayBeEmpty(command));
  const counts = tests === null ? {} : { tests: countTests(tests) };
  return {
    check: { ...run, outcome, ...counts, ...defined({ unread }), ...termsOf(asked) },
    tests: tests?.map((test) => inProject(test, checkout.root)) ?? null,
  };
}

/** What was asked of the check beyond its command. */
function termsOf({ kind, given, timeoutMs, isWitness, isExcused }: AskedProofCheck) {
  const check = kind === COMMAND ? undefined : { kind, given };
  return defined({ check, timeoutMs: timeoutMs ?? undefined, isWitness, isExcused });
}

/** The outcome of a command, corrected by its tests. */
function withTests(outcome: CheckOutcome, tests: Reported['tests'], mayBeEmpty: boolean): CheckOutcome {
  const isUntold = tests === null || (tests.length === 0 && mayBeEmpty);
  return isUntold ? outcome : outcomeOfTests(outcome, { tests }, 'the report');
}

/** Some runners name a test by the path of its file, which differs in each checkout. */
function inProject(test: TestCase, root: string): TestCase {
  return { ...test, name: test.name.replaceAll(`${root}/`, '').replaceAll(root, '.') };
}

function runOf(
  command: string,
  { outcome, durationMs, log, digest, output, truncated }: Checked,
  { cwd }: ProofWorld,
): ProofRun {
  return { command, outcome, durationMs, log: relative(cwd, log), output, truncated, ...defined({ digest }) };
}

function logFile({ cwd }: ProofWorld, { name }: Pick<CleanRunWanted, 'name'>, what: string): string {
  return join(cwd, '.ralph', `proof_${name}_${logSlug(what)}.log`);
}

function cutOff({ signal }: ProofWorld): unknown {
  return signal.reason ?? new Error('a program of the proof was cut off');
}

function environmentIn(cwd: string, checkout: Checkout, { env, trees }: ProofWorld): NodeJS.ProcessEnv {
  const clean = cleanEnvironment(env, trees.root);
  // Python runs a compiled file next to a module instead of the module, and git may track such files.
  const compiled = { PYTHONPYCACHEPREFIX: join(checkout.folder, 'pycache') };
  return { ...clean, ...compiled, PATH: [join(cwd, VENV_PROGRAMS), clean.PATH ?? ''].join(delimiter) };
}
