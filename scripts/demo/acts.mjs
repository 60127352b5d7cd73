/** The three acts: each is a real loop of the built `ralph`, in the project of the stage. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FALSE_THEN_TRUE, HALF_DONE, oneItemAtATime, WRITES_OUTSIDE } from './replies.mjs';
import { paint, say, typed } from './stage.mjs';

const LOOK_EVERY_MS = 50;
/** The exit code of `ralph run` if there is no sandbox. */
const CANNOT_START = 2;

export async function falseDone(stage) {
  stage.plays(FALSE_THEN_TRUE);
  await expectCode(0, stage.ralph('run', 'fix the failing test').ended());
}

export async function killAndResume(stage) {
  stage.commit('Greet strangers, too');
  stage.plays(oneItemAtATime({ hangs: true }));
  const loop = stage.ralph('run', '-q', '-f', 'PLAN.md');
  await untilHalfDone(stage, loop);
  const before = await stage.asked('show');
  const { supervisor } = await stage.asked('status');
  // The child has not been waited for, so this pid cannot belong to another process.
  if (supervisor?.pid !== loop.child.pid) throw new Error(`the loop says that ${supervisor?.pid} drives it`);
  typed(`kill -9 ${supervisor.pid}`, 'in iteration 2, where one of three files is written');
  process.kill(supervisor.pid, 'SIGKILL');
  await expectCode('SIGKILL', loop.ended());
  await stage.pause(800);
  await stage.ralph('ls').ended();
  await stage.pause(1500);
  stage.plays(oneItemAtATime({ hangs: false }));
  await expectCode(0, stage.ralph('resume', '-q').ended());
  return sayWhatWasKept(before, await stage.asked('show'));
}

export async function refusedOutside(stage) {
  const precious = join(stage.folder, 'precious.txt');
  const text = 'not for agents';
  writeFileSync(precious, `${text}\n`);
  stage.plays(WRITES_OUTSIDE);
  const code = await stage.ralph('run', '-q', 'write NOTES.md', '--sandbox=os').ended();
  if (code === CANNOT_START) {
    say('', paint('yellow', '! Not shown: this machine has no sandbox to use. Above: why, and what to install.'));
    return;
  }
  await expectCode(0, code);
  typed('cat ../precious.txt');
  const found = readFileSync(precious, 'utf8').trimEnd();
  say(found);
  assert.equal(found, text);
  say('', paint('green', 'The file is as it was. What the agent wrote in the project is committed.'));
}

/** Waits until the agent has written one file of the second iteration, and has more to do. */
async function untilHalfDone(stage, { child }) {
  while (readFileSync(join(stage.project, HALF_DONE.path), 'utf8') !== HALF_DONE.content) {
    if (child.exitCode !== null) throw new Error(`the loop ended with ${child.exitCode} before it could be killed`);
    await stage.wait(LOOK_EVERY_MS);
  }
}

/** Checks everything that it says. */
function sayWhatWasKept(before, after) {
  const [first] = before.iterations;
  assert.equal(after.id, before.id);
  assert.deepEqual(after.iterations[0], first);
  assert.equal(after.iterations[1].tries, 2);
  const [name, commit] = [before.id.slice(-8, -4), first.commit.slice(0, 7)];
  say('', paint('green', `The same loop, ${name}: iteration 1 and its commit ${commit} are as they were.`));
  return name;
}

async function expectCode(wanted, promised) {
  const code = await promised;
  if (code !== wanted) throw new Error(`the loop ended with ${code}, not with ${wanted}`);
}
