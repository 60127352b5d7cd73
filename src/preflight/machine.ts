/** Checks the machine: Node.js, git, tmux, process containment, and a writable state directory. */
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { engines, version } from '../../package.json';
import { handled } from '../core/error.ts';
import { type Finding, fine, warning } from '../core/finding.ts';
import { reasonOf } from '../core/system-fault.ts';
import { type Containment, containmentOf } from '../process/containment/containment.ts';
import type { ContainmentLevel } from '../process/containment/levels.ts';
import { runLimited } from '../process/run-limited.ts';
import { findProgram } from '../process/which.ts';

export function nodeFinding(node = process.versions.node): Finding {
  const [least = ''] = /\d+(?:\.\d+)*/.exec(engines.node) ?? [];
  const what = `ralph ${version}, Node.js ${node}, ${process.platform} ${process.arch}`;
  if (!isOlder(node, least)) return fine(what);
  return { level: 'error', what, fix: `ralph needs Node.js ${least} or newer` };
}

function isOlder(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) < 0;
}

interface Tool {
  readonly name: string;
  readonly version: readonly string[];
  readonly needed: string;
}

const TOOLS: readonly Tool[] = [
  { name: 'git', version: ['--version'], needed: 'to commit, to keep every iteration, and by --worktree' },
  { name: 'tmux', version: ['-V'], needed: 'by --runner tmux and swarm' },
];

const VERSION_WITHIN_MS = 10_000;

export function toolFindings(env: NodeJS.ProcessEnv, cwd: string): Promise<Finding[]> {
  return Promise.all(
    TOOLS.map(async ({ name, version: args, needed }) => {
      const program = findProgram(name, env.PATH, cwd);
      if (program === null) return warning(`${name} is not installed`, `it is needed ${needed}`);
      const { stdout } = await runLimited({ argv: [program, ...args], cwd, env, limit: VERSION_WITHIN_MS });
      const [number] = /\d+\.\d+[\w.]*/.exec(stdout) ?? [];
      return fine(number === undefined ? name : `${name} ${number}`);
    }),
  );
}

const CONTAINED: Readonly<Record<Containment['level'], Finding>> = {
  cgroup: fine('what an agent starts is ended with it: control groups'),
  'pid-namespace': fine('what an agent starts is ended with it: pid namespaces'),
  group: warning(
    'what an agent starts is ended by process group and mark',
    'a program that hides from both outlives it; control groups or pid namespaces would end it, too',
  ),
};

export function containmentFinding(level: ContainmentLevel | null): Finding {
  const found = handled(
    () => containmentOf(level),
    (error) => error,
  );
  if (!(found instanceof Error)) return CONTAINED[found.level];
  return { level: 'error', what: found.message, fix: 'unset RALPH_CONTAINMENT' };
}

/** Tries to write in the nearest existing folder: file modes do not tell what root can do, or if the disk is full. */
export function stateFinding(path: string): Finding {
  let folder = path;
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  try {
    rmdirSync(mkdtempSync(join(folder, '.ralph-doctor-')));
    return fine(`the state directory can be written: ${path}`);
  } catch (error) {
    const fix = 'make it writable, or set XDG_STATE_HOME to a directory that you can write to';
    return { level: 'error', what: `the state directory cannot be written: ${path}: ${reasonOf(error)}`, fix };
  }
}
