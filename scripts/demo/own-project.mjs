/** The next three commands for a reader, suitable for the machine and the clone that the demo ran in. */
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { root } from '../setup.mjs';
import { quoted } from './stage.mjs';

/**
 * `agents`: the output of `ralph agents --json`. `env`: the environment of the reader's shell. Returns the agent that
 * was found, and three commands with their purpose.
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

/** Can this user write where npm installs global packages? Null if `npm run` has not said where that is. */
function hasOwnPrefix({ npm_config_global_prefix: prefix }) {
  return prefix === undefined ? null : [join(prefix, 'bin'), join(prefix, 'lib/node_modules')].every(isWritable);
}

function installs({ install, name }, own) {
  return { command: own === false ? `sudo ${install}` : install, why: `then log in: run ${name} once` };
}

function makesCommand(clone, own) {
  if (own) return { command: `cd ${quoted(clone)} && npm link`, why: 'makes ralph a command' };
  // Quoted once for the shell that reads the line, and once for the alias.
  return { command: `alias ralph=${quoted(quoted(join(clone, 'bin/ralph.cjs')))}`, why: 'in this shell' };
}

function realPathOrNull(path) {
  try {
    return realpathSync(path);
  } catch {
    // Missing or unreadable: either way not this clone's.
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
