/** What is compared: the floors, and `ralph run` on each containment level, as commands to measure. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The levels, strongest first; the target figures hold for the first. */
const CONTAINMENT_LEVELS = ['cgroup', 'pid-namespace', 'group'];

/** The exit code of `ralph run` after its last iteration. */
const ITERATION_LIMIT = 1;

export function floorTee(workspace, agent, iterations) {
  return { ...place(workspace, agent), argv: ['bash', floor('floor-tee.sh'), String(iterations), workspace.state] };
}

export function floorNode(workspace, agent, iterations) {
  return { ...place(workspace, agent), argv: [process.execPath, floor('floor-node.cjs'), String(iterations)] };
}

export function nodeFull(workspace, agent, iterations) {
  const argv = [process.execPath, floor('node-full.cjs'), String(iterations), workspace.state];
  return { ...place(workspace, agent), argv };
}

export function nodeTee(workspace, agent, iterations) {
  const argv = [process.execPath, floor('node-tee.cjs'), String(iterations), workspace.state];
  return { ...place(workspace, agent), argv };
}

/** Without `level`, on the strongest level of the machine; without `cwd`, outside of any git repository. */
export function ralphRun(workspace, agent, iterations, { level = null, flags = [], cwd = workspace.project } = {}) {
  const containment = level === null ? {} : { RALPH_CONTAINMENT: level };
  return {
    ...place(workspace, agent, containment),
    cwd,
    argv: [process.execPath, workspace.ralph, 'run', '-p', 'x', '-m', String(iterations), ...flags],
    exitCode: ITERATION_LIMIT,
  };
}

/** A task's loop, without a delay between two runs. */
export function ralphTask(workspace, agent, restarts, { level }) {
  const task = ['--root', join(workspace.state, 'tasks'), '--project', 'bench', '--task', 'task-20260220-153045-bench'];
  const flags = ['--prompt', 'x', '--restart-delay', '0', '--max-restarts', String(restarts)];
  return {
    ...place(workspace, agent, { RALPH_CONTAINMENT: level }),
    argv: [process.execPath, workspace.ralph, 'task', 'run', ...task, ...flags],
    exitCode: ITERATION_LIMIT,
  };
}

/** The agent alone, started by the cheapest possible loop. */
export function agentAlone(workspace, agent, iterations) {
  const loop = 'i=0; while [ $i -lt "$1" ]; do claude -p --output-format stream-json --verbose x; i=$((i + 1)); done';
  return { ...place(workspace, agent), argv: ['sh', '-c', loop, 'sh', String(iterations)] };
}

export function levelsOf(workspace) {
  const works = (level) => {
    const { argv, exitCode, ...options } = ralphRun(workspace, workspace.agent('small'), 1, { level });
    const [command, ...args] = argv;
    const { status } = spawnSync(command, args, { ...options, stdio: 'ignore' });
    return status === exitCode;
  };
  return CONTAINMENT_LEVELS.filter(works);
}

/** A line for each level that the machine, or this user, does not have, so that its figures are not forgotten. */
export function withoutLevels(name, levels) {
  const missing = CONTAINMENT_LEVELS.filter((level) => !levels.includes(level));
  return missing.map((level) => ({ name: `${name}, ${level}`, leftOut: `this user has no ${level} here` }));
}

/** The target figures hold for the first level, if the machine has it. */
export function isTargetLevel(level) {
  return level === CONTAINMENT_LEVELS[0];
}

function place(workspace, agent, extra = {}) {
  return { cwd: workspace.project, env: workspace.environment(agent, extra) };
}

function floor(name) {
  return fileURLToPath(new URL(`floors/${name}`, import.meta.url));
}
