/** Checks which sandboxes work here. For the operating system's sandbox, opens it and runs a program in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RalphError } from '../core/error.ts';
import { type Finding, fine, note, warning } from '../core/finding.ts';
import { orProblem } from '../engine/loop-plan.ts';
import { chooseSandbox, openSandbox } from '../engine/sandbox.ts';
import { enclosed, thisHost } from '../process/host.ts';
import { runLimited } from '../process/run-limited.ts';
import { NO_SANDBOX } from '../runners/sandbox/request.ts';

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly self: readonly [string, ...string[]];
  readonly stateRoot: string;
  /** The agent that would run in the sandbox. */
  readonly agent: string;
}

export async function sandboxFindings(place: Place): Promise<Finding[]> {
  return [await osFinding(place), await dockerFinding(place)];
}

const START_WITHIN_MS = 20_000;

async function osFinding({ cwd, env, self, stateRoot, agent }: Place): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-doctor-'));
  try {
    const loop = { id: folder, folder };
    const options = { loop, cwd, stateRoot, self, host: thisHost(env, 'group'), grace: 0, agents: [agent] };
    const opened = await orProblem(openSandbox({ ...NO_SANDBOX, kind: 'os' }, options));
    if (opened instanceof RalphError) return warning(opened.message, opened.advice.hint ?? '');
    try {
      const { enclosure, env: outside } = opened.host;
      const refusals = join(folder, 'refused');
      const enclose = enclosure && ((argv: readonly string[]) => enclosure.enclose(argv, { refusals }));
      const inside = { ...outside, ...enclosure?.env };
      const { end, stderr } = await enclosed(['true'], enclose, (argv) =>
        runLimited({ argv, cwd, env: inside, limit: START_WITHIN_MS }),
      );
      if (end === 'ok') return fine("the operating system's sandbox starts programs");
      const [said = ''] = stderr.trim().split('\n');
      return warning(
        `the operating system's sandbox starts no program: ${said || end}`,
        'run without it: --no-sandbox',
      );
    } finally {
      await opened.runner.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function dockerFinding({ cwd, env, self, agent }: Place): Promise<Finding> {
  const had = await orProblem(
    chooseSandbox({ ...NO_SANDBOX, kind: 'docker' }, undefined, { env, agents: [agent], cwd, self }),
  );
  return had instanceof RalphError ? note(had.message, had.advice.hint ?? '') : fine('Docker Sandbox');
}
