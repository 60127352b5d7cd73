import { mkdirSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { leaveLoopIn } from '../../../test/support/loops/left-loop.ts';
import { shell, start } from '../../../test/support/programs/launching.ts';
import { processesOf } from '../../../test/support/programs/processes.ts';
import { containmentOf } from '../../process/containment/containment.ts';
import { loopFolder, type StateRoot } from '../../state/paths.ts';
import type { ListedLoop } from '../../state/registry.ts';
import { runsFolder } from '../../state/run-files.ts';
import { endOrphans } from './orphans.ts';

const CWD = '/work/tree';
const containment = containmentOf(null);
let root: StateRoot;

beforeEach(() => {
  root = { path: testFolder() };
});

/** A loop as it is when its supervisor has died; returns the folder of its runs. */
function leaveLoop(id: string, given: Partial<ListedLoop> = {}): string {
  const loop = loopFolder(root, id);
  mkdirSync(runsFolder(loop), { recursive: true });
  leaveLoopIn(loop, { id, loopKind: 'run', cwd: CWD, createdAt: 1, updatedAt: 1, ending: null, ...given });
  return runsFolder(loop);
}

/** Leaves a loop's agent running. The folder of its runs distinguishes its processes from others. */
async function leaveAgent(runs: string, lines = 'echo >ready; sleep 60'): Promise<void> {
  const { made } = await start(containment, shell(lines, runs));
  await made('ready');
}

function isAtWork(runs: string): boolean {
  return processesOf(runs).length > 0;
}

test('the agents of interrupted loops in the directory are ended, with what they started', async () => {
  const [one, two] = [leaveLoop('one'), leaveLoop('two')];
  await leaveAgent(one, '(setsid sleep 60 &) ; trap "" TERM; echo >ready; while :; do sleep 60; done');
  await leaveAgent(two);
  await endOrphans(root, { cwd: CWD, except: 'new' }, 10);
  expect([one, two].map(isAtWork)).toEqual([false, false]);
});

test('an agent is asked to end first', async () => {
  const runs = leaveLoop('one');
  const spec = shell('trap "echo bye; exit" TERM; echo >ready; while :; do sleep 0.01; done', runs);
  const { made, text } = await start(containment, spec);
  await made('ready');
  await endOrphans(root, { cwd: CWD, except: 'new' }, 60_000);
  expect(text('stdout.log')).toBe('bye\n');
});

test.each<[string, string, Partial<ListedLoop>]>([
  ['of another directory', 'other', { cwd: `${CWD}/deeper` }],
  ['of a loop that is over', 'over', { ending: { kind: 'done' } }],
  ['of the loop itself', 'new', {}],
])('an agent %s is left alone', async (_whose, id, given) => {
  const [theirs, orphan] = [leaveLoop(id, given), leaveLoop('orphan')];
  await leaveAgent(theirs);
  await leaveAgent(orphan);
  await endOrphans(root, { cwd: CWD, except: 'new' }, 0);
  expect([theirs, orphan].map(isAtWork)).toEqual([true, false]);
});

test('a loop whose last run has ended, or that has no run, is skipped', async () => {
  const [ended, none, orphan] = [leaveLoop('ended'), leaveLoop('none'), leaveLoop('orphan')];
  const { exited } = await start(containment, shell('true', ended));
  await exited;
  await leaveAgent(orphan);
  await endOrphans(root, { cwd: CWD, except: 'new' }, 0);
  expect([ended, none, orphan].map(isAtWork)).toEqual([false, false, false]);
});

test('a machine without loops has no orphans', async () => {
  await expect(endOrphans(root, { cwd: CWD, except: 'new' }, 0)).resolves.toBeUndefined();
});
