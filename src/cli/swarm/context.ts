/** What the worker commands are handed, from this process: its environment, its folder and its two streams. */
import { version } from '../../../package.json';
import { readEnvironment } from '../../config/environment.ts';
import { ralphSide } from '../../loops/swarm/ralph/worker.ts';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { thisMachine } from '../../process/identity/identity.ts';

export function thisSwarm(): Swarm {
  const environment = readEnvironment();
  const { variables, swarmHome, containment, root } = environment;
  const swarm: Swarm = {
    home: { path: swarmHome },
    env: variables,
    place: thisMachine(),
    cwd: process.cwd(),
    containment,
    stateRoot: root.path,
    self: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    ralph: ralphSide(environment, version, () => swarm),
    say: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
    show: (text) => void process.stdout.write(text),
  };
  return swarm;
}
