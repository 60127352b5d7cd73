/** A cgroup v2 leaf per run: nothing that the run starts can leave it, however it forks, and one write ends it all. */
import { mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../core/error.ts';
import { nullOn } from '../files.ts';

/** Where leaves are made: below the cgroup that this process lives in, or below one around it. */
export interface CgroupHome {
  readonly path: string;
  /** The list of processes of the one it lives in, held open: the way back is taken after every spawn. */
  readonly procs: number;
}

/** Said of a cgroup that is removed while it is read. */
const GONE = ['ENOENT', 'ENODEV'];

/** Null where no leaf can be made or ended (`cgroup.kill`: Linux 5.14). `choose`: below which cgroup, given our own. */
export function findCgroupHome(choose: (own: string) => string = (own) => own): CgroupHome | null {
  const cgroup = ownCgroup();
  if (cgroup === null) return null;
  const { mount, own } = cgroup;
  const path = join(mount, choose(own));
  const probe = join(path, `ralph-probe-${process.pid}`);
  // A process that was killed while it probed may have left its probe under a pid that is ours now.
  removeQuietly(probe);
  try {
    mkdirSync(probe);
    readFileSync(join(probe, 'cgroup.events'));
    writeFileSync(join(probe, 'cgroup.kill'), '1');
    // Moving into the probe and back shows that the migration, and not only the mkdir, is allowed.
    const home = { path, procs: openSync(join(mount, own, 'cgroup.procs'), 'w') };
    bornInside(home, probe, () => undefined);
    return home;
  } catch {
    // Every reason (read-only, not delegated, too old) means the same: take the next level.
    return null;
  } finally {
    removeQuietly(probe);
  }
}

/** By the mark of the run that it holds. */
export function leafPath(home: CgroupHome, mark: string): string {
  return join(home.path, `ralph-${mark.replaceAll(/[^\w.-]/g, '-')}`);
}

/** The supervisor enters the leaf before the spawn and leaves it after: the child is born inside. */
export function bornInside<T>(home: CgroupHome, leaf: string, spawn: () => T): T {
  enter(leaf);
  try {
    return spawn();
  } finally {
    writeSync(home.procs, '0');
  }
}

/** A process that is to end the leaf that it lives in leaves it first. */
export function stepOut(leaf: string): void {
  const cgroup = ownCgroup();
  if (cgroup !== null && `${join(cgroup.mount, cgroup.own)}/`.startsWith(`${leaf}/`)) enter(dirname(leaf));
}

/** True once the leaf is empty and removed; false while something lives in it. */
export function removeLeafIfEmpty(leaf: string): boolean {
  try {
    rmdirSync(leaf);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true;
    if (errnoOf(error) !== 'EBUSY') throw error;
  }
  // Busy: something lives in it, or a loop inside this one left empty leaves of its own.
  const inner = leavesIn(leaf);
  return inner.length > 0 && inner.every(removeLeafIfEmpty) && removeLeafIfEmpty(leaf);
}

function leavesIn(leaf: string): string[] {
  const entries = nullOn(GONE, () => readdirSync(leaf, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(leaf, entry.name));
}

export function membersOf(leaf: string): number[] {
  const listed = nullOn(GONE, () => readFileSync(join(leaf, 'cgroup.procs'), 'latin1')) ?? '';
  return listed.split('\n').filter(Boolean).map(Number);
}

/** Also of the leaves inside it, which a loop inside this one has made. */
export function membersBelow(leaf: string): number[] {
  return [...membersOf(leaf), ...leavesIn(leaf).flatMap(membersBelow)];
}

export function killLeaf(leaf: string): void {
  if (membersOf(leaf).includes(process.pid))
    throw new Error(`refusing to end the cgroup ${leaf}: this process is in it`);
  nullOn(GONE, () => writeFileSync(join(leaf, 'cgroup.kill'), '1'));
}

/** 0 stands for the process that writes. */
function enter(path: string): void {
  writeFileSync(join(path, 'cgroup.procs'), '0');
}

/** Where the hierarchy of version 2 is mounted, and our own cgroup in it; null where there is none. */
function ownCgroup(): { readonly mount: string; readonly own: string } | null {
  // "36 25 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw": on hybrid systems it is not at the usual place.
  const [, mount] = /^(?:\S+ ){4}(\S+) .* - cgroup2 /m.exec(readFileSync('/proc/self/mountinfo', 'utf8')) ?? [];
  const [, own] = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
  return mount === undefined || own === undefined ? null : { mount, own };
}

function removeQuietly(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It was never made, or the kernel is still emptying it: an empty probe does no harm.
  }
}
