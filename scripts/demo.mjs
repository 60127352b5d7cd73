/** `npm run demo`: installs, builds, and shows three real loops with the scripted agent, all in a temporary folder. */
import { falseDone, killAndResume, refusedOutside } from './demo/acts.mjs';
import { ownProject } from './demo/own-project.mjs';
import { heading, Interrupted, openStage, paint, quoted, say } from './demo/stage.mjs';
import { ensureBuilt, ensureInstalled, SetupError } from './setup.mjs';

const READING_MS = 2500;

try {
  ensureInstalled();
  await ensureBuilt();
  const stage = openStage();
  try {
    await play(stage);
  } catch (error) {
    await stage.clear();
    throw error;
  }
} catch (error) {
  if (error instanceof Interrupted) process.exitCode = 130;
  else if (error instanceof SetupError) {
    console.error(error.message);
    process.exitCode = 1;
  } else throw error;
}

async function play(stage) {
  say('', 'Three acts. The loops are real; the agent is scripted: no account, no cost.');
  say(paint('dim', `All of it happens in ${stage.folder}`));
  heading('Act 1 of 3', 'An agent says DONE while the test is red: rejected, until it is true.');
  await falseDone(stage);
  await stage.pause(READING_MS);
  heading('Act 2 of 3', 'kill -9 in the middle of an iteration, then ralph resume: nothing is lost.');
  const loop = await killAndResume(stage);
  await stage.pause(READING_MS);
  heading('Act 3 of 3', 'A sandboxed agent tries to write outside of the project: the system refuses.');
  await refusedOutside(stage);
  await stage.pause(READING_MS);
  await sayWhatNext(stage, loop);
}

async function sayWhatNext(stage, loop) {
  heading('Afterwards', 'Every loop is kept: what it did, what it cost, how it ended.');
  await stage.ralph('ls').ended();
  await stage.ralph('show', loop).ended();
  const { agent, commands } = ownProject(await stage.asked('agents'), process.env);
  const found = agent === undefined ? 'No agent is installed yet.' : `${agent.title} is installed.`;
  heading('Your own project', `${found} Three commands:`);
  const width = Math.max(...commands.map(({ command }) => command.length));
  say('', ...commands.map(({ command, why }) => `  ${paint('cyan', command.padEnd(width))}  ${paint('dim', why)}`));
  say('', paint('dim', `To clean up: rm -r ${quoted(stage.folder)}`));
}
