/** What is left after a harness has exited: processes, mounts and cgroups of the scene. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export function leftovers(scene, marks) {
  return [
    ...processesOf(scene).map(({ pid, command }) => `process ${pid}: ${command.replaceAll(/\s+/g, ' ').slice(0, 80)}`),
    ...mountsOf(scene).map((mount) => `mount ${mount}`),
    ...cgroupsOf(marks).map((cgroup) => `cgroup ${cgroup}`),
  ];
}

/** Recognized by the scene in their environment, command line or working directory. */
function processesOf({ folder, ours = [] }) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !ours.includes(Number(name)));
  const isOfScene = (pid) =>
    [read(pid, 'environ'), read(pid, 'cmdline'), cwdOf(pid)].some((text) => text.includes(folder));
  return pids.filter(isOfScene).flatMap((pid) => {
    const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
    // A process that has ended but is not reaped yet has no command line.
    return command === '' ? [] : [{ pid: Number(pid), command }];
  });
}

/** Repeats until no process is left, because one may just be starting another. */
export function endAll(scene) {
  for (let left = processesOf(scene); left.length > 0; left = processesOf(scene)) {
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself meanwhile.
      }
    }
  }
}

function mountsOf({ folder }) {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return mounts.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(folder));
}

const CGROUPS = '/sys/fs/cgroup';

function cgroupsOf(marks) {
  if (marks.length === 0 || !existsSync(CGROUPS)) return [];
  const below = (path) => {
    const entries = ifThere(() => readdirSync(path, { withFileTypes: true })) ?? [];
    const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
    return inner.flatMap((each) => [each, ...below(each)]);
  };
  return below(CGROUPS).filter((path) => marks.some((mark) => path.includes(mark)));
}

function read(pid, file) {
  return ifThere(() => readFileSync(`/proc/${pid}/${file}`, 'latin1')) ?? '';
}

function cwdOf(pid) {
  return ifThere(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '';
}

/** Null for what is gone meanwhile, or belongs to another user. */
function ifThere(look) {
  try {
    return look();
  } catch {
    return null;
  }
}
