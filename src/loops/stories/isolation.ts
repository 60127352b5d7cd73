/** Decides where the agents of a stories loop run (sandbox or not), and with which environment. */
import { isAbsolute, join, resolve } from 'node:path';
import { AGENTS } from '../../agents/index.ts';
import { filesIn } from '../../checks/detect.ts';
import { CHECK_KINDS } from '../../checks/index.ts';
import { sharedSettings } from '../../config/settings.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { proofTerms } from '../../core/proof/terms.ts';
import { listed } from '../../core/text/listed.ts';
import { chooseSandbox, openSandbox } from '../../engine/sandbox.ts';
import { detectSetup } from '../../proof/setup.ts';
import { whyNoProof } from '../../proof/why-no-proof.ts';
import type { PassedOver } from '../../runners/choose.ts';
import { NO_SANDBOX, type SandboxRequest } from '../../runners/sandbox/request.ts';
import { commitIn } from '../../state/git-place.ts';
import { type WorkTree, workTree } from './files/work-tree.ts';
import type { StoriesRequest } from './request.ts';
import { agentsOf, loadsPlugin, needsPlugin, STOP_HOOK_BLOCKS, sandboxOf } from './request.ts';

/** The command line that starts this program; null for the plugin's copy, which cannot start itself in a sandbox. */
export type Self = readonly [string, ...string[]] | null;

/** Chooses the strongest available sandbox, unless the user says otherwise, and whether the loop proves its work. */
export async function resolveStories(request: StoriesRequest, cwd: string, env: NodeJS.ProcessEnv, self: Self) {
  // The folder with the list may be outside the project, and iterations write into it.
  const needs = isAbsolute(request.ralphDir) ? [request.ralphDir] : [];
  const asked = { env, agents: agentsOf(request), cwd, self, needs, otherwise: 'auto' } as const;
  const { sandbox: given } = request;
  const settings = sharedSettings(cwd, CHECK_KINDS, env);
  const { sandbox, passedOver } = await chooseSandbox(given, settings.sandbox, asked).catch((error: unknown) => {
    const isForced = given?.kind === 'docker' && error instanceof RalphError && error.code === 'NO_SANDBOX';
    if (!isForced) throw error;
    const hint = `${error.message}. ${error.advice.hint ?? ''}`.trim();
    // The message is prescribed by the seed.
    throw new RalphError('NO_SANDBOX', '--sandbox specified but Docker Sandbox is not available.', { hint });
  });
  const asks = proofTerms(request.prove, settings.proof);
  const isPossible = asks === undefined && request.prove?.isOn === undefined && canProve(cwd, sandbox.kind);
  const proof = isPossible ? proofTerms({ ...request.prove, isOn: true }) : asks;
  const proving = { ...defined({ proof }), ...(isPossible ? { provesIfPossible: true as const } : {}) };
  return { request: { ...request, sandbox, ...proving }, passedOver };
}

/** A proof needs a known setup: without one, most projects could not run anything in a clean checkout. */
function canProve(cwd: string, kind: SandboxRequest['kind']): boolean {
  return whyNoProof(cwd, kind) === null && commitIn(cwd) !== null && detectSetup(filesIn(cwd)) !== null;
}

/** In the operating system's sandbox, the agent must not be able to change the plugin whose hooks check its work. */
export function sandboxWith(request: StoriesRequest, pluginDir: string | null): SandboxRequest {
  const sandbox = request.sandbox ?? NO_SANDBOX;
  if (sandbox.kind !== 'os' || pluginDir === null) return sandbox;
  return { ...sandbox, denyWrite: [...sandbox.denyWrite, pluginDir] };
}

export type StoriesIsolation = Awaited<ReturnType<typeof openIsolation>>;

interface IsolationContext extends Omit<Parameters<typeof openSandbox>[1], 'agents' | 'runner' | 'tell'> {
  readonly pluginDir: string | null;
  readonly passedOver: PassedOver;
  readonly tell: (line: string) => void;
}

export async function openIsolation(request: StoriesRequest, context: IsolationContext) {
  const { loop, cwd, tell, passedOver } = context;
  const kind = sandboxOf(request);
  // Creating a Docker sandbox takes a while, so the lines are shown before it.
  if (kind !== 'os') for (const line of modeLines(request, passedOver, '')) tell(line);
  const pluginDir = needsPlugin(request) ? context.pluginDir : null;
  const host = { ...context.host, env: loopEnvironment(context.host.env, request, cwd) };
  const options = { ...context, host, agents: agentsOf(request), warn: tell };
  const isolation = await openSandbox(sandboxWith(request, pluginDir), options);
  try {
    if (kind === 'os') for (const line of modeLines(request, passedOver, isolation.bounds ?? '')) tell(line);
    const tree = workTree(cwd, isolation.host, loop.folder, isolation.synced);
    const loadPlugin = async (): Promise<string | null> =>
      pluginDir === null ? null : ((await isolation.synced?.load(pluginDir, 'plugin')) ?? pluginDir);
    if (kind === 'os' && pluginDir !== null) await refuseHiddenPlugin(tree, pluginDir);
    const checkHost = { ...isolation.host, env: withoutLoopVariables(isolation.host.env, context.host.env) };
    return { isolation, tree, pluginDir: await loadPlugin(), loadPlugin, checkHost };
  } catch (error) {
    await isolation.runner.close();
    throw error;
  }
}

/** Without the plugin's Stop hook, an iteration would be judged only after its agent can no longer fix anything. */
async function refuseHiddenPlugin({ run }: WorkTree, pluginDir: string): Promise<void> {
  const { ok, stderr } = await run(['test', '-r', join(pluginDir, 'hooks/hooks.json')]);
  if (ok) return;
  const said = stderr.trim().split('\n')[0] ?? '';
  const hint = 'Leave out the --deny-read that hides it, or run without: --no-sandbox';
  throw new RalphError('NO_PLUGIN', `the ralph plugin cannot be read in the sandbox (${said || pluginDir})`, { hint });
}

const GUARDED = listed(
  AGENTS.filter(({ name }) => loadsPlugin(name)).map(({ title }) => title),
  'and',
);

function modeLines(request: StoriesRequest, { docker, os }: PassedOver, bounds: string): string[] {
  switch (sandboxOf(request)) {
    case 'docker':
      return ['Docker Sandbox detected — using sandbox mode'];
    case 'os': {
      const using = docker === null ? 'Using' : 'Docker Sandbox not available — using';
      return [`${using} the operating system's sandbox (${bounds})`];
    }
    case 'none': {
      const warnings = agentsOf(request).map((agent) => {
        if (loadsPlugin(agent)) return 'WARNING: Running with --dangerously-skip-permissions without sandbox isolation';
        return `WARNING: Running ${agent} without sandbox isolation and without the guard, which only ${GUARDED} has`;
      });
      if (os === null) return warnings;
      return ['Docker Sandbox not available — using direct mode', `No other sandbox either: ${os}`, ...warnings];
    }
  }
}

/** The environment of `verifyCommands`: the user's own, without the variables that are meant for the agents' hooks. */
function withoutLoopVariables(env: NodeJS.ProcessEnv, users: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['RALPH_GUARD', 'RALPH_NODE', 'RALPH_ALLOWED_COMMANDS', ...Object.keys(STOP_HOOK_BLOCKS)];
  const others = Object.entries(env).filter(([name]) => !names.includes(name));
  const own = Object.entries(users).filter(([name]) => names.includes(name));
  return Object.fromEntries([...others, ...own]);
}

/** The environment of the loop's agents: the user's own, and variables for the plugin's hooks. */
function loopEnvironment(env: NodeJS.ProcessEnv, request: StoriesRequest, cwd: string): NodeJS.ProcessEnv {
  return {
    ...env,
    // A Docker sandbox needs no guard. In the operating system's sandbox, it protects what the agent can write to.
    ...(sandboxOf(request) === 'docker' ? {} : { RALPH_GUARD: 'on' }),
    RALPH_NODE: process.execPath,
    RALPH_ALLOWED_COMMANDS: resolve(cwd, request.ralphDir, 'allowed-commands.txt'),
    ...Object.fromEntries(Object.entries(STOP_HOOK_BLOCKS).map(([name, count]) => [name, env[name] ?? count])),
  };
}
