/**
 * Tries every fault in every place of one kind of loop, or a sample unless run nightly. The loop must never crash: it
 * either works despite the fault, or exits with the code of a refusal and says what is wrong, where, and what to do.
 * Once the fault is repaired, it must run to its end.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Exited } from '../support/programs/program.ts';
import { sweep } from '../support/sweep.ts';
import { type Fault, FILE_FAULTS, FOLDER_FAULTS } from './faults.ts';
import type { Bench, How, LoopKind } from './loop-kinds.ts';
import { type Mounts, ownMounts } from './mounts.ts';

/** A program that takes this long counts as hanging. */
const WITHOUT_END = ['timeout', '--signal=KILL', process.env.HANGS ?? '20'];

/** How many faults a test tries in CI; see sweep.ts. */
const BY_DAY = 10;

export interface Place {
  readonly name: string;
  readonly path: string;
  readonly faults: readonly Fault[];
}

export function filesOf(files: Readonly<Record<string, string>>): Place[] {
  return Object.entries(files).map(([name, path]) => ({ name, path, faults: FILE_FAULTS }));
}

export function foldersOf(folders: Readonly<Record<string, string>>): Place[] {
  // The rest would replace the folder by something else, and no process can have that as its current directory.
  return Object.entries(folders).map(([name, path]) => ({
    name,
    path,
    faults: name === 'work tree' ? FOLDER_FAULTS.slice(0, 3) : FOLDER_FAULTS,
  }));
}

type Verb = 'start' | 'resume';

/** Puts each fault in place, one at a time, and returns what the loop did wrong. */
export async function problemsIn(
  kind: LoopKind,
  bench: Bench,
  verb: Verb,
  places: readonly Place[],
): Promise<string[]> {
  const mounts = await ownMounts();
  for (const { path, faults } of places)
    if (faults === FOLDER_FAULTS && verb === 'start') mkdirSync(path, { recursive: true });
  const before = keep(bench);
  const problems: string[] = [];
  for (const place of drawnFrom(places)) {
    const isThere = existsSync(place.path);
    if (!isThere && verb === 'resume') continue;
    let isRefused = false;
    for (const fault of place.faults.filter(({ needs }) => isThere || needs !== 'there')) {
      const ended = await meet(fault, place, mounts, (how) => bench[verb](how));
      const problem = problemOf(kind, ended, place, fault);
      show(`${problem === null ? 'ok ' : 'BAD'} ${place.name}: ${fault.name} → ${ended.code} ${told(ended)}`);
      if (problem !== null) problems.push(`${place.name}: ${fault.name}: ${problem}`);
      // A refusal changes nothing that matters, so the next fault needs no fresh copy.
      isRefused = problem === null && !kind.isDone(ended) && !kind.isGivenUp?.(ended);
      if (!isRefused) before.restore();
    }
    if (!isRefused) continue;
    const repaired = await bench[verb](guarded({}));
    if (!kind.isDone(repaired)) problems.push(`${place.name}: not done afterwards: ${repaired.code} ${told(repaired)}`);
    before.restore();
  }
  return problems;
}

function drawnFrom(places: readonly Place[]): Place[] {
  const cells = places.flatMap((place) => place.faults.map((fault) => ({ place, fault })));
  const drawn = sweep(cells, BY_DAY);
  return places.map((place) => ({
    ...place,
    faults: drawn.filter((cell) => cell.place === place).map(({ fault }) => fault),
  }));
}

/** For work on these tests: logs the output for every fault. */
function show(line: string): void {
  if (process.env.BAD_INPUT_LOG) appendFileSync(process.env.BAD_INPUT_LOG, `${line}\n`);
}

async function meet(
  fault: Fault,
  { path }: Place,
  mounts: Mounts,
  act: (how: How) => Promise<Exited>,
): Promise<Exited> {
  const how = fault.put(path, mounts);
  try {
    return await act(guarded(how));
  } finally {
    fault.repair(path, mounts);
  }
}

export function guarded(how: How): How {
  return { ...how, front: [...(how.front ?? []), ...WITHOUT_END] };
}

/** Errors in the words of Node (`EACCES: permission denied, open '/x.next'`), and names of our temporary files. */
const UNTRANSLATED =
  /\bE(?:ACCES|PERM|NOSPC|ROFS|LOOP|NOTDIR|ISDIR|NOENT|EXIST|NXIO|NAMETOOLONG): |\.(?:room|ralph-next)-\d/;

function problemOf(kind: LoopKind, ended: Exited, { path }: Place, { reason }: Fault): string | null {
  const shown = `${ended.stdout}${ended.stderr}`;
  const bug = bugIn(ended);
  if (bug !== null) return bug;
  if (kind.isDone(ended) || kind.isGivenUp?.(ended)) return null;
  if (!kind.refusal.includes(Number(ended.code))) return `ended with ${ended.code}: ${told(ended)}`;
  if (!shown.includes(path) && !shown.includes(basename(path))) return `does not say where: ${told(ended)}`;
  if (!reason.test(shown)) return `does not say why: ${told(ended)}`;
  if (UNTRANSLATED.test(shown)) return `says it in the words of the operating system: ${told(ended)}`;
  return null;
}

/** What a user should never see, whatever is wrong with the machine: a crash or a hang. Null if there is none. */
export function bugIn(ended: Exited): string | null {
  const text = `${ended.stdout}${ended.stderr}`;
  if (/this is a bug|^\s+at .+:\d+:\d+\)?$/m.test(text)) return `a bug: ${told(ended)}`;
  if (ended.code === 137 || ended.code === 'SIGKILL' || ended.code === 'SIGABRT')
    return `does not come back: ${told(ended)}`;
  return null;
}

export function told({ stdout, stderr }: Exited): string {
  return `${stdout}${stderr}`.trim().split('\n').slice(-6).join(' | ');
}

interface Kept {
  restore(): void;
}

/** Copies everything that the loop has written, so that each fault meets the same loop. */
function keep({ folder, work, state }: Bench): Kept {
  const parts = [state, work, join(folder, 'home'), join(folder, '.run-agent')].filter((path) => existsSync(path));
  const copyOf = (path: string): string => `${path}-as-it-was`;
  for (const path of parts) copy(path, copyOf(path));
  // Some of these are temporary folders of their own, so the copies beside them would not be removed.
  onTestFinished(() => {
    for (const path of parts) rmSync(copyOf(path), { recursive: true, force: true });
  });
  return {
    restore() {
      for (const path of parts) {
        rmSync(path, { recursive: true, force: true });
        copy(copyOf(path), path);
      }
    },
  };
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
