/** The same core on the second engine, PostgreSQL through DBOS: a worker is lost while its agent is running. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isGone } from '../../src/process/end.ts';
import { readTrace, type Trace } from '../../src/process/trace.ts';
import { loopFolder, stateRoot } from '../../src/state/paths.ts';
import { runsFolder } from '../../src/state/run-files.ts';
import { seen } from './deadline.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { readLoop } from './recorded.ts';
import { makeScene, type Running, type Scene } from './scene.ts';

/** Short, but long enough that a live worker does not look dead on a busy machine. */
const QUICK = ['--lease', '1500', '--heartbeat', '200', '--poll', '100'];
/** Less than the lease, so no other engine can have ended the agent before. */
const BEFORE_TAKEOVER_MS = 1000;
const LONG_MS = 30_000;

let postgres: Postgres;
let database: string;
let scene: Scene;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

beforeEach(async () => {
  database = await postgres.newDatabase();
  scene = makeScene(database);
});
afterEach(() => scene.remove());

test('if a worker is killed while its agent is running, another one takes over its loop and finishes it', async () => {
  const { id, customer, taker, other } = await loopInMidAgent();

  taker.child.kill('SIGKILL');
  expect(await taker.ended()).toBe('SIGKILL');
  await seen('its agent dies with it', BEFORE_TAKEOVER_MS, () => agents().length === 0 || null);

  expect(await customer.ended()).toBe(0);
  await judge(id, other);
});

test('a worker that freezes while its agent is running loses its loop, and exits when it wakes up', async () => {
  const { id, customer, taker, other } = await loopInMidAgent();

  taker.child.kill('SIGSTOP');
  expect(await customer.ended()).toBe(0);
  taker.child.kill('SIGCONT');
  await taker.says(/(no heartbeat for too long)/);
  expect(await taker.ended()).toBe(3);

  await judge(id, other);
});

test('a worker that is stopped while its agent is running ends the agent, and another finishes its loop', async () => {
  const { id, customer, taker, other } = await loopInMidAgent();

  taker.child.kill('SIGTERM');
  expect(await taker.ended()).toBe(0);

  expect(await customer.ended()).toBe(0);
  await judge(id, other);
});

test('--agent and --model are used instead of the agent of the settings', async () => {
  const worker = await startWorker();
  const program = '#!/bin/sh\necho "start $*" >>"$ORACLE"\necho "<response>DONE</response>"\n';
  writeFileSync(join(scene.work, 'claude'), program, { mode: 0o755 });
  const customer = scene.fleet('run', '-p', 'Work.', '-m', '1', '--agent', './claude', '--model', 'opus');
  await customer.ended();
  expect(scene.told().find((line) => line.startsWith('start'))).toContain('--model opus');
  worker.child.kill('SIGTERM');
  expect(await worker.ended()).toBe(0);
});

interface Worker extends Running {
  readonly id: string;
}

async function loopInMidAgent(): Promise<{ id: string; customer: Running; taker: Worker; other: Worker }> {
  const [one, two] = await Promise.all([startWorker(), startWorker()]);
  const customer = scene.fleet('run', '-p', 'Make work.txt whole.', '-m', '6');
  const id = await customer.says(/loop (\S+) is in the queue/);
  await seen('the agent works in iteration 2', LONG_MS, () => scene.told().includes('start 2/work/1') || null);
  const { executor } = await readLoop(database, id);
  expect([one.id, two.id]).toContain(executor);
  return executor === one.id ? { id, customer, taker: one, other: two } : { id, customer, taker: two, other: one };
}

async function startWorker(): Promise<Worker> {
  const worker = scene.fleet('worker', ...QUICK);
  return { ...worker, id: await worker.says(/worker (\S+) is up/) };
}

/** Checks the records of agents and guardrails, git's log, the process table, and the database. */
async function judge(id: string, finisher: Worker): Promise<void> {
  const told = scene.told();
  const runs = ['1/work/1', '2/work/1', '2/work/2', '2/message/1', '3/work/1', '4/work/1', '4/message/1'];
  expect(told.filter((line) => line.startsWith('start'))).toEqual(runs.map((key) => `start ${key}`));
  const finished = runs.filter((key) => key !== '2/work/1' && key !== '3/work/1');
  expect(told.filter((line) => line.startsWith('end'))).toEqual(finished.map((key) => `end ${key}`));
  const checks = ['1/check/0', '2/check/0', '4/check/0'];
  expect(told.filter((line) => line.startsWith('check'))).toEqual(checks.map((key) => `check ${key} 1`));

  const { executor, records, next, otherSteps } = await readLoop(database, id);
  expect(executor).toBe(finisher.id);
  expect(records.filter(({ result }) => result.kind === 'checked').map(({ key }) => key)).toEqual(checks);
  expect(next).toMatchObject({ do: 'end', ending: { kind: 'done' } });
  // The pause after the failure of iteration 3.
  expect(otherSteps).toEqual(['DBOS.recv', 'DBOS.sleep']);

  expect(scene.git('log', '--format=%s')).toBe('Commit of iteration 4\nCommit of iteration 2\nBegin\n');
  expect(scene.git('status', '--porcelain', '--untracked-files=no')).toBe('');
  expect(readFileSync(join(scene.work, 'work.txt'), 'utf8')).toBe('whole\ndone\n');

  expect(isGone(lostRun(id))).toBe(true);

  expect(scene.alive()).toEqual([finisher.child.pid]);
  finisher.child.kill('SIGTERM');
  expect(await finisher.ended()).toBe(0);
  expect(scene.alive()).toEqual([]);
}

/** The agents' own processes; the engine that takes over ends those that they started. */
function agents(): number[] {
  return scene.alive().filter((pid) => scene.commandOf(pid).includes('fleet-agent.sh'));
}

/** The trace of the first attempt of iteration 2, which identifies its processes. */
function lostRun(id: string): Trace {
  const runs = runsFolder(loopFolder(stateRoot({ XDG_STATE_HOME: scene.state }), id));
  const trace = readTrace(runs, `${id}/2/work/1#1`);
  if (trace === null) throw new Error('the lost run left no trace');
  return trace;
}
