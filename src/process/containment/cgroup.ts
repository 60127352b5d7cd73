/**
 * A cgroup v2 leaf per run: nothing that the run starts can leave it, however it forks.
 *
 * A child is born in the cgroup of the thread that forks it. So the supervisor moves into a cgroup of its own, once,
 * with the leaves of its runs below it, and its thread enters a leaf for the spawn. A single thread can do that if the
 * leaf is "threaded", within microseconds. To move a whole process, the kernel waits until no other one forks: 10 ms.
 */
import {
  accessSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { errnoOf } from '../../core/error.ts';
import { nullOn } from '../files.ts';

export interface CgroupHome {
  /** The cgroup that leaves are made in. */
  readonly path: string;
  /** Its list of threads, kept open: it is the way back after every spawn. Null if the whole process enters a leaf. */
  readonly threads: number | null;
}

/** Errors for a cgroup that is removed while it is read. */
const GONE = ['ENOENT', 'ENODEV'];
const THREADS = 'cgroup.threads';
/** A supervisor's own cgroup is named after its pid. */
const OWN = 'ralph-supervisor-';

/**
 * Moves this process into a cgroup of its own until it exits, for runs that end with it. Null if that is impossible.
 */
export function moveToOwnCgroup(): CgroupHome | null {
  const place = placeOf();
  // A process is in one cgroup, whichever of its threads asks. And only root may signal every process that a run can
  // start: other users need `cgroup.kill` for that, which threaded cgroups do not have.
  if (place === null || !isMainThread || process.getuid?.() !== 0) return null;
  const path = join(place.around, `${OWN}${process.pid}`);
  const probe = join(path, 'ralph-probe');
  try {
    if (place.own !== path) moveTo(path);
    const home = { path, threads: openSync(join(path, THREADS), 'w') };
    removeQuietly(probe);
    makeLeaf(probe, home);
    accessSync(join(probe, 'cgroup.freeze'));
    bornInside(home, probe, () => undefined);
    return home;
  } catch {
    // Every reason (read-only, not delegated, too old) means the same: not available here.
    leave(path);
    return null;
  } finally {
    removeQuietly(probe);
  }
}

function moveTo(path: string): void {
  for (const other of leavesIn(dirname(path))) removeIfAbandoned(other);
  makeLeaf(path);
  process.once('exit', () => leave(path));
  enter(path);
}

/** Only if the supervisor is gone: the cgroup of a live one can be empty, too, before it moves in or during a spawn. */
function removeIfAbandoned(path: string): void {
  const [, pid] = new RegExp(`^${OWN}(\\d+)$`).exec(basename(path)) ?? [];
  if (pid !== undefined && Number(pid) !== process.pid && !existsSync(`/proc/${pid}`)) removeQuietly(path);
}

function leave(path: string): void {
  try {
    enter(dirname(path));
  } catch {
    // It never moved in.
  }
  removeQuietly(path);
}

/**
 * For runs that outlive this process: their leaves are beside its cgroup. `choose` maps our own cgroup to the one that
 * holds the leaves. Null if cgroups are not available.
 */
export function findCgroupHome(choose: (own: string) => string = (own) => own): CgroupHome | null {
  const place = placeOf();
  if (place === null) return null;
  const path = join(place.mount, choose(place.around.slice(place.mount.length)));
  const probe = join(path, `ralph-probe-${process.pid}`);
  // A process that was killed while probing may have left its probe, and its pid may be ours now.
  removeQuietly(probe);
  try {
    makeLeaf(probe);
    // Since Linux 5.14.
    accessSync(join(probe, 'cgroup.kill'));
    // Move into the probe and back: this shows that the migration is allowed, not only the mkdir.
    const home = { path, threads: null };
    bornInside(home, probe, () => undefined);
    return home;
  } catch {
    return null;
  } finally {
    removeQuietly(probe);
  }
}

/** Below a threaded cgroup, as when a loop runs inside a loop, only threaded ones can exist. */
export function makeLeaf(leaf: string, home?: CgroupHome): void {
  mkdirSync(leaf);
  const type = join(leaf, 'cgroup.type');
  if (home?.threads != null || readFileSync(type, 'latin1') === 'domain invalid\n') writeFileSync(type, 'threaded');
}

/** Named after the mark of its run. */
export function leafPath(home: CgroupHome, mark: string): string {
  return join(home.path, `ralph-${mark.replaceAll(/[^\w.-]/g, '-')}`);
}

/** Enters the leaf for the spawn and leaves it afterwards, so that the child is born inside. */
export function bornInside<T>({ path, threads }: CgroupHome, leaf: string, spawn: () => T): T {
  const own = threads === null ? placeOf()?.own : null;
  if (threads === null) enter(leaf);
  else visit(leaf, path);
  try {
    return spawn();
  } finally {
    if (threads !== null) writeSync(threads, '0');
    else if (own != null) enterAgain(own);
  }
}

/** In another container, which does not see our pid, our cgroup may have been taken for abandoned and removed. */
function enterAgain(own: string): void {
  const isBack = nullOn(GONE, () => {
    enter(own);
    return true;
  });
  if (isBack === null) enter(dirname(own));
}

/** Moves only the thread. */
function visit(leaf: string, home: string): void {
  const list = join(leaf, THREADS);
  try {
    writeFileSync(list, '0');
  } catch (error) {
    if (errnoOf(error) !== 'ENOTSUP') throw error;
    // Another program has moved this process elsewhere.
    enter(home);
    writeFileSync(list, '0');
  }
}

/** Called before ending a leaf: if this process lives in it, it leaves. */
export function stepOut(leaf: string): void {
  if (`${placeOf()?.own}/`.startsWith(`${leaf}/`)) enter(dirname(leaf));
}

/** True once the leaf is removed; false while something lives in it. */
export function removeLeafIfEmpty(leaf: string): boolean {
  const around = dirname(leaf);
  const isGone = isRemoved(leaf);
  // With its last leaf, the own cgroup of a dead supervisor is removed.
  if (isGone) removeIfAbandoned(around);
  return isGone;
}

function isRemoved(leaf: string): boolean {
  try {
    rmdirSync(leaf);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true;
    if (errnoOf(error) !== 'EBUSY') throw error;
  }
  // Busy: something lives in it, or a loop inside this one left empty leaves.
  const inner = leavesIn(leaf);
  return inner.length > 0 && inner.every(removeLeafIfEmpty) && isRemoved(leaf);
}

function leavesIn(leaf: string): string[] {
  const entries = nullOn(GONE, () => readdirSync(leaf, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(leaf, entry.name));
}

/** Read from the threads, since a threaded cgroup lists no processes. */
export function membersOf(leaf: string): number[] {
  const listed = nullOn(GONE, () => readFileSync(join(leaf, THREADS), 'latin1')) ?? '';
  return [...new Set(listed.split('\n').filter(Boolean).flatMap(processOf))];
}

/** Empty if the thread has ended. */
function processOf(thread: string): number[] {
  const status = nullOn(['ENOENT', 'ESRCH'], () => readFileSync(`/proc/${thread}/status`, 'latin1')) ?? '';
  const [, pid] = /^Tgid:\s*(\d+)$/m.exec(status) ?? [];
  return pid === undefined ? [] : [Number(pid)];
}

/** Includes the leaves inside it, which a loop inside this one has made. */
export function membersBelow(leaf: string): number[] {
  return [...membersOf(leaf), ...leavesIn(leaf).flatMap(membersBelow)];
}

export function killLeaf(leaf: string): void {
  if (membersOf(leaf).includes(process.pid))
    throw new Error(`refusing to end the cgroup ${leaf}: this process is in it`);
  if (nullOn(['ENOTSUP'], () => write(leaf, 'cgroup.kill', '1')) !== null) return;
  // It is threaded. Once it is frozen, nothing in it forks any more, and frozen processes can be killed.
  write(leaf, 'cgroup.freeze', '1');
  for (const pid of membersBelow(leaf)) nullOn(['ESRCH'], () => process.kill(pid, 'SIGKILL'));
}

/** True even if the cgroup is gone. */
function write(leaf: string, file: string, word: string): true {
  nullOn(GONE, () => writeFileSync(join(leaf, file), word));
  return true;
}

/** Moves the whole process: 0 stands for the process that writes. */
function enter(path: string): void {
  writeFileSync(join(path, 'cgroup.procs'), '0');
}

/** The mount point of cgroup v2, our own cgroup, and the one that we were started in; null if there is no cgroup v2. */
function placeOf(): { readonly mount: string; readonly own: string; readonly around: string } | null {
  // For example "36 25 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw": hybrid systems mount it elsewhere.
  const [, mount] = /^(?:\S+ ){4}(\S+) .* - cgroup2 /m.exec(readFileSync('/proc/self/mountinfo', 'utf8')) ?? [];
  const [, path] = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
  if (mount === undefined || path === undefined) return null;
  const own = path === '/' ? mount : join(mount, path);
  return { mount, own, around: basename(own) === `${OWN}${process.pid}` ? dirname(own) : own };
}

function removeQuietly(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It was never made, or the kernel is still emptying it: an empty probe is harmless.
  }
}
