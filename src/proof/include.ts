/**
 * Files that git ignores but the checks need, such as `.env`. They are copied once, when the loop begins, and every
 * checkout gets that copy: later changes by an agent do not enter the proof.
 */
import { cpSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasNameOfTest, holdsTests, pinKindOf } from '../core/proof/pins/pins.ts';
import { makeFolders, readPlain } from '../process/files.ts';
import { callGit, withoutGitVariables } from '../scm/snapshots/store.ts';

/** Lists such files in the format of `.gitignore`; `ralph run --worktree` also reads it. */
const INCLUDE_FILE = '.worktreeinclude';

export interface Including {
  readonly root: string;
  /** Where the copies are kept. */
  readonly kept: string;
  readonly patterns: readonly string[];
  /** Ignores the project's own list. */
  readonly isPatternsOnly?: true;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Returns the files and folders that were copied. */
export async function keepIncluded({
  root,
  kept,
  patterns,
  isPatternsOnly,
  env,
  signal,
}: Including): Promise<string[]> {
  rmSync(kept, { recursive: true, force: true });
  makeFolders(kept, 0o700);
  const files = join(root, INCLUDE_FILE);
  const from = [
    ...(isPatternsOnly !== true && existsSync(files) ? [`--exclude-from=${INCLUDE_FILE}`] : []),
    ...patterns.map((pattern) => `--exclude=${pattern}`),
  ];
  if (from.length === 0) return [];
  const entries = await ignored(['--directory', ...from], { root, env, signal });
  for (const entry of entries) copy(join(root, entry), join(kept, entry));
  return entries;
}

type Place = Pick<Including, 'root' | 'env' | 'signal'>;

async function ignored(which: readonly string[], { root, env, signal }: Place): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', ...which];
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  const listed = await callGit([...safe, ...args], { env: withoutGitVariables(env), cwd: root, signal });
  return listed.toString('utf8').split('\0').filter(Boolean);
}

/** The first test files that git ignores, except those that are in `kept`. */
export async function ignoredTests({ kept, ...place }: Place & Pick<Including, 'kept'>): Promise<string[]> {
  const tests: string[] = [];
  for (const path of await ignored(['--exclude-standard'], place)) {
    if (pinKindOf(path) !== 'tests' || MADE.test(path) || existsSync(join(kept, path))) continue;
    // A test folder also has logs and data.
    const isOne = hasNameOfTest(path) || (SOURCE.test(path) && holdsTests(readPlain(join(place.root, path)) ?? ''));
    if (isOne) tests.push(path);
    if (tests.length === MOST_NAMED) break;
  }
  return tests;
}

const MOST_NAMED = 100;
const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|exs?|php|java|kt|scala|cs|swift|lua|sh)$/;

/** Installed or built folders have other projects' tests, or copies of tests that git tracks. */
const MADE = /(?:^|\/)(?:\.[^/]+|node_modules|vendor|venv|env|site-packages|target|dist|build|out|coverage)\//;

/** Replaces files of the same name, which are the agent's. Other files in a folder stay. */
export function putIncluded(kept: string, root: string): void {
  for (const entry of existsSync(kept) ? readdirSync(kept, { withFileTypes: true }) : []) {
    const [from, to] = [join(kept, entry.name), join(root, entry.name)];
    const isFolder = lstatSync(to, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!(entry.isDirectory() && isFolder)) rmSync(to, { recursive: true, force: true });
    if (entry.isDirectory() && isFolder) putIncluded(from, to);
    else copy(from, to);
  }
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}
