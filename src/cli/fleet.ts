/** `ralph fleet worker` and `ralph fleet run` (experimental): loops in PostgreSQL, driven by any of several workers. */
import { CHECK_KINDS } from '../checks/index.ts';
import { readEnvironment } from '../config/environment.ts';
import { effectiveSettings, parseLayers, readTexts, userSettingsFile } from '../config/settings.ts';
import { RalphError } from '../core/error.ts';
import { runOnFleet } from '../fleet/submit.ts';
import { runWorker, type WorkerOptions } from '../fleet/worker.ts';
import { type Chosen, runRequest } from '../loops/run/request.ts';
import { realPath } from '../process/files.ts';
import { exitCodeOf } from './terminal.ts';

export type FleetWorkerFlags = Pick<WorkerOptions, 'database' | 'slots' | 'lease' | 'heartbeat' | 'poll'>;

export interface FleetRunFlags {
  readonly database: string;
  readonly prompt: string;
  readonly agent?: string;
  readonly model?: string;
  readonly maximumIterations?: number;
  readonly timeout?: number;
}

export async function fleetWorkerCommand(flags: FleetWorkerFlags): Promise<number> {
  // Only Linux can end a program together with the one that started it.
  if (process.platform !== 'linux') {
    const hint = 'Run it in a Linux container, or use ralph run.';
    throw new RalphError('FLEET', 'a fleet worker needs Linux: elsewhere its agents would outlive it', { hint });
  }
  silenceDriver();
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    await runWorker({ ...flags, environment: readEnvironment(), say, stop: stopping.signal });
    return 0;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

export async function fleetRunCommand(flags: FleetRunFlags): Promise<number> {
  silenceDriver();
  const { database, prompt, agent = null, model = null } = flags;
  const { maximumIterations = null, timeout: agentTimeoutMs = null } = flags;
  const cwd = realPath(process.cwd());
  const chosen = agent === null ? null : chosenAgent(agent, cwd);
  const request = runRequest({ prompt, agent, model, chosen, maximumIterations, agentTimeoutMs });
  const { id, ending } = await runOnFleet(database, request, cwd, say);
  const reason = 'reason' in ending ? `: ${ending.reason}` : '';
  process.stdout.write(`loop ${id} ended: ${ending.kind}${reason}\n`);
  return exitCodeOf({ kind: 'ended', ending }, 'run');
}

/** As in `ralph run`, its flags come from the settings if they name the same agent. */
function chosenAgent(command: string, cwd: string): Chosen {
  const layers = parseLayers(readTexts(cwd, userSettingsFile(readEnvironment().variables)));
  const { agent } = effectiveSettings(layers, CHECK_KINDS, command);
  const flags = agent.command === command ? agent.flags : [];
  return { agent: { command, flags }, version: null, checks: null, origins: { agent: '--agent', checks: '' } };
}

/** The PostgreSQL driver prints deprecation warnings about calls by DBOS, which the user cannot change. */
function silenceDriver(): void {
  process.noDeprecation = true;
}

function say(message: string): void {
  process.stderr.write(`${message}\n`);
}
