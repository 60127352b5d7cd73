/** The three commands that come next for a reader, right for the machine and the clone that the demo ran in. */
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { root } from '../setup.mjs';
import { quoted } from './stage.mjs';

/**
 * `agents`: what `ralph agents --json` says. `env`: of the reader's shell. Gives what is said of the agent, and three
 * commands with what each is for.
 */
export function ownProject(agents, env, clone = resolve(root)) {
  const agent = agents.find(({ installed }) => installed);
  const own = hasOwnPrefix(env);
  const commands = [
    ...(agent === undefined ? [installs(agents[0], own)] : []),
    ...(isOnPath(env, clone) ? [] : [makesCommand(clone, own)]),
    { command: 'ralph run "fix the failing tests"', why: 'in your project' },
    { command: 'ralph ls', why: 'what runs, and what came of it' },
    { command: 'ralph resume', why: 'after Ctrl-C, a crash, a usage limit' },
  ];
  return { agent, commands: commands.slice(0, 3) };
}

/** Is `ralph` this clone's? */
function isOnPath({ PATH = '' }, clone) {
  const own = realPathOrNull(join(clone, 'bin/ralph.cjs'));
  return PATH.split(delimiter).some((folder) => own !== null && realPathOrNull(join(folder, 'ralph')) === own);
}

/** May this user write where npm installs global packages? Null where `npm run` has not said where that is. */
function hasOwnPrefix({ npm_config_global_prefix: prefix }) {
  return prefix === undefined ? null : [join(prefix, 'bin'), join(prefix, 'lib/node_modules')].every(isWritable);
}

function installs({ install, name }, own) {
  return { command: own === false ? `sudo ${install}` : install, why: `then log in: run ${name} once` };
}

function makesCommand(clone, own) {
  if (own) return { command: `cd ${quoted(clone)} && npm link`, why: 'makes ralph a command' };
  // Once for the shell that reads the line, once for what the alias stands for.
  return { command: `alias ralph=${quoted(quoted(join(clone, 'bin/ralph.cjs')))}`, why: 'in this shell' };
}

function realPathOrNull(path) {
  try {
    return realpathSync(path);
  } catch {
    // Not there, or not ours to see: not this clone's either way.
    return null;
  }
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
