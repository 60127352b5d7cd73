/** `ralph run --dry-run`: what would happen, and why; nothing is started and nothing is written. */
import { CHECK_KINDS } from '../checks/index.ts';
import { readEnvironment } from '../config/environment.ts';
import type { Settings, SettingsLayers } from '../config/settings.ts';
import { effectiveSettings, LOCAL_FILE, readLayers, SETTINGS_FILE } from '../config/settings.ts';
import { isFields } from '../core/json.ts';
import { formatDuration } from '../core/text/duration.ts';
import { chooseSandbox } from '../engine/sandbox.ts';
import { inputsFrom, readPrompt } from '../loops/run/inputs.ts';
import { type RunRequest, workPrompt } from '../loops/run/rules.ts';
import { commandLines, sandboxLines } from './terminal/dry-run-lines.ts';

export async function dryRun(request: RunRequest, cwd: string): Promise<number> {
  const environment = readEnvironment();
  const { variables, mask } = environment;
  const say = (line: string): unknown => process.stdout.write(`${mask(line)}\n`);
  const layers = readLayers(cwd);
  const settings = effectiveSettings(layers, CHECK_KINDS);
  const inputs = inputsFrom(settings, request, readPrompt(request, cwd));

  const prompt = workPrompt(inputs);
  const agent = { ...inputs.agent, mode: inputs.streamAgentOutput ? 'stream' : 'text' } as const;
  const wanted = { env: variables, agents: [agent.command], cwd };
  const { sandbox } = await chooseSandbox(request.sandbox, settings.sandbox, wanted);
  const call = { prompt, cwd, env: variables, isEnclosed: sandbox.kind !== 'none' };
  // A mistake in the flags shows here, before a page of what it does not touch.
  const lines = [
    ...commandLines(agent, call),
    ...(await sandboxLines(sandbox, { ...wanted, stateRoot: environment.root.path })),
  ];

  say('Settings:');
  const explained = explainSettings(settings, layers, flagsOf(request));
  const width = Math.max(...explained.map(({ path }) => path.length));
  for (const { path, value, origin } of explained)
    say(`  ${path.padEnd(width)}  ${JSON.stringify(value)}  (${origin})`);
  for (const line of [...lines, `\nFirst prompt:\n${prompt}`, '\nDry run: nothing was started.']) say(line);
  return 0;
}

/** Where each setting has its value from. `flags` holds what the command line overrides, by path. */
export function explainSettings(
  settings: Settings,
  { base, local }: SettingsLayers,
  flags: ReadonlyMap<string, { readonly flag: string; readonly value: unknown }>,
) {
  const lines = new Map(
    leaves(settings).map(([path, value]) => {
      const origin = holds(local, path) ? LOCAL_FILE : holds(base, path) ? SETTINGS_FILE : 'default';
      return [path.join('.'), { value, origin }];
    }),
  );
  for (const [path, { flag, value }] of flags) lines.set(path, { value, origin: flag });
  return [...lines].map(([path, line]) => ({ path, ...line }));
}

/** Objects are opened; a list is one value, since a local list replaces the whole of it. */
function leaves(value: unknown, path: readonly string[] = []): [readonly string[], unknown][] {
  if (!isFields(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function holds(layer: unknown, path: readonly string[]): boolean {
  const at = (outer: unknown, key: string) => (isFields(outer) && Object.hasOwn(outer, key) ? outer[key] : undefined);
  return path.reduce(at, layer) !== undefined;
}

function flagsOf({ maximumIterations, completionResponse, streamAgentOutput, agentTimeoutMs }: RunRequest) {
  const timeout = agentTimeoutMs === null ? null : formatDuration(agentTimeoutMs);
  const given = [
    ['maximumIterations', '--maximum-iterations', maximumIterations],
    ['completionResponse', '--completion-response', completionResponse],
    ['streamAgentOutput', `--${streamAgentOutput === false ? 'no-' : ''}stream-agent-output`, streamAgentOutput],
    ['agent.timeout', '--agent-timeout', timeout],
  ] as const;
  return new Map(given.filter(([, , value]) => value !== null).map(([path, flag, value]) => [path, { flag, value }]));
}
