/** Where the agents of a stories loop run: settled before it begins, opened when it turns, told in a line. */
import { isAbsolute, join } from 'node:path';
import { agentsAccess } from '../../agents/index.ts';
import { sandboxSettings } from '../../config/sandbox-settings.ts';
import { RalphError } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import type { Host } from '../../process/host.ts';
import { type Isolation, isolate, type PassedOver, resolveSandbox } from '../../runners/choose.ts';
import { NO_SANDBOX, type SandboxRequest } from '../../runners/sandbox/request.ts';
import { agentsOf, loadsPlugin, needsPlugin } from './agent.ts';
import { type WorkTree, workTree } from './files/work-tree.ts';
import { type StoriesRequest, sandboxOf } from './request.ts';

/** The command line that starts this program; null for the plugin's own copy, which has no sandbox to start itself in. */
export type Self = readonly [string, ...string[]] | null;

export interface SettledStories {
  readonly request: StoriesRequest;
  readonly passedOver: PassedOver;
}

/** Nothing was looked for. */
export const NOT_PASSED_OVER: PassedOver = { docker: null, os: null };

/** The strongest that there is, unless somebody says otherwise. */
export async function resolveStories(
  request: StoriesRequest,
  { cwd, env, self }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly self: Self },
): Promise<SettledStories> {
  const access = agentsAccess(...agentsOf(request));
  // Its folder may lie elsewhere, and an iteration writes into it.
  const needs = isAbsolute(request.ralphDir) ? [request.ralphDir] : [];
  const asked = { env, access, cwd, self, needs, otherwise: 'auto' } as const;
  const given = request.sandbox;
  const settled = await resolveSandbox(given, sandboxSettings(cwd), asked).catch((error: unknown) => {
    throw inTheSeedsWords(error, given);
  });
  return { request: { ...request, sandbox: settled.request }, passedOver: settled.passedOver };
}

function inTheSeedsWords(error: unknown, given: SandboxRequest | null): unknown {
  const isForced = given?.kind === 'docker' && error instanceof RalphError && error.code === 'NO_SANDBOX';
  if (!isForced) return error;
  const { message, advice } = error;
  const hint = `${message}. ${advice.hint ?? ''}`.trim();
  return new RalphError('NO_SANDBOX', '--sandbox specified but Docker Sandbox is not available.', {
    hint,
    exitCode: 2,
  });
}

/** What a settled sandbox allows in this loop: the agent does not write the rails that hold it. */
export function sandboxWith(request: StoriesRequest, pluginDir: string | null): SandboxRequest {
  const sandbox = request.sandbox ?? NO_SANDBOX;
  if (sandbox.kind !== 'os' || pluginDir === null) return sandbox;
  return { ...sandbox, denyWrite: [...sandbox.denyWrite, pluginDir] };
}

export interface StoriesIsolation {
  readonly isolation: Isolation;
  readonly tree: WorkTree;
  /** The plugin where the agent finds it. */
  readonly pluginDir: string | null;
  readonly loadPlugin: () => Promise<string | null>;
}

export interface IsolationPlace {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly cwd: string;
  readonly host: Host;
  readonly grace: Duration;
  readonly stateRoot: string;
  readonly self: Self;
  readonly pluginDir: string | null;
  readonly passedOver: PassedOver;
  readonly tell: (line: string) => void;
}

/** Whoever opens it closes its runner. */
export async function openIsolation(request: StoriesRequest, place: IsolationPlace): Promise<StoriesIsolation> {
  const { loop, cwd, tell, passedOver } = place;
  const kind = sandboxOf(request);
  const access = agentsAccess(...agentsOf(request));
  // Making a machine takes a while: it is said before.
  if (kind !== 'os') for (const line of modeLines(request, passedOver, '')) tell(line);
  const pluginDir = needsPlugin(request) ? place.pluginDir : null;
  const isolation = await isolate(sandboxWith(request, pluginDir), { ...place, access, runner: 'direct' });
  try {
    if (kind === 'os') for (const line of modeLines(request, passedOver, isolation.bounds ?? '')) tell(line);
    const tree = workTree({ cwd, host: isolation.host, synced: isolation.synced ?? null, loop: loop.folder });
    const loadPlugin = async (): Promise<string | null> =>
      pluginDir === null ? null : ((await isolation.synced?.load(pluginDir, 'plugin')) ?? pluginDir);
    if (kind === 'os' && pluginDir !== null) await refuseHiddenPlugin(tree, pluginDir);
    return { isolation, tree, pluginDir: await loadPlugin(), loadPlugin };
  } catch (error) {
    await isolation.runner.close();
    throw error;
  }
}

/** Without the Stop hook an iteration could only be judged when it is too late for it to mend anything. */
async function refuseHiddenPlugin({ run }: WorkTree, pluginDir: string): Promise<void> {
  const { ok, stderr } = await run(['test', '-r', join(pluginDir, 'hooks/hooks.json')]);
  if (ok) return;
  const said = stderr.trim().split('\n')[0] ?? '';
  throw new RalphError('NO_PLUGIN', `the ralph plugin cannot be read in the sandbox (${said || pluginDir})`, {
    hint: 'Leave out the --deny-read that hides it, or run without: --no-sandbox',
    exitCode: 2,
  });
}

/** One line says which it is; without any there is a warning for every agent besides. */
function modeLines(request: StoriesRequest, { docker, os }: PassedOver, bounds: string): string[] {
  switch (sandboxOf(request)) {
    case 'docker':
      return ['Docker Sandbox detected — using sandbox mode'];
    case 'os':
      return [
        docker === null
          ? `Using the operating system's sandbox (${bounds})`
          : `Docker Sandbox not available — using the operating system's sandbox (${bounds})`,
      ];
    case 'none':
      return [
        ...(os === null ? [] : ['Docker Sandbox not available — using direct mode', `No other sandbox either: ${os}`]),
        ...agentsOf(request).map(
          (agent) =>
            `WARNING: Running ${loadsPlugin(agent) ? 'with --dangerously-skip-permissions without sandbox isolation' : `${agent} without sandbox isolation and without the guard, which is Claude Code's only`}`,
        ),
      ];
  }
}
