/** `ralph run --dry-run`: what would happen, and why; nothing is started and nothing is written. */
import { profileFor } from '../agents/index.ts';
import { readEnvironment } from '../config/environment.ts';
import type { Settings, SettingsLayers } from '../config/settings.ts';
import { hasProjectSettings, LOCAL_FILE, parseLayers, SETTINGS_FILE } from '../config/settings.ts';
import { formatDuration } from '../core/text/duration.ts';
import { isFields } from '../core/text/json.ts';
import type { FallbackSpec } from '../engine/fallbacks.ts';
import { inputsFrom, readPrompt } from '../loops/run/inputs.ts';
import { runTerms } from '../loops/run/loop.ts';
import type { RunRequest } from '../loops/run/request.ts';
import { notBegun, type ResolvePlace, resolveRun } from '../loops/run/resolve.ts';
import type { RunInputs } from '../loops/run/state.ts';
import { workPrompt } from '../loops/run/work-prompt.ts';
import { NO_SANDBOX } from '../runners/sandbox/request.ts';
import { printable } from '../stream/printable.ts';
import { proofOrigins, proofShown } from './run/dry-run-proof.ts';
import { commandLines, reviewerLines, sandboxLines } from './terminal/dry-run-lines.ts';

export async function dryRun(
  given: RunRequest,
  cwd: string,
  self: ResolvePlace['self'],
  fallbacks?: readonly FallbackSpec[],
): Promise<number> {
  const environment = readEnvironment();
  const { variables, mask } = environment;
  const say = (line: string): unknown => process.stdout.write(`${mask(line)}\n`);
  const { request, taken, unprotected, problems } = await resolveRun(
    given,
    { cwd, env: variables, self, fallbacks: fallbacks ?? [] },
    false,
  );
  const [problem] = problems;
  if (problem !== undefined) throw problem;
  const { settings } = taken;
  const inputs = inputsFrom(settings, request, readPrompt(request, cwd));

  const prompt = workPrompt(inputs);
  const agent = { ...inputs.agent, mode: inputs.streamAgentOutput ? 'stream' : 'text' } as const;
  const sandbox = request.sandbox ?? NO_SANDBOX;
  const others = runTerms({ fallbacks }, inputs.agent, request)?.fallbacks ?? [];
  const { review } = inputs;
  const reviewers = review === undefined ? [] : [review.by];
  const wanted = { env: variables, agents: [agent, ...others, ...reviewers].map(({ command }) => command), cwd };
  const call = { prompt, cwd, env: variables, isEnclosed: sandbox.kind !== 'none' };
  // Made first, so that an error in the flags is shown before a page of settings.
  const lines = [
    ...commandLines(agent, call),
    ...others.flatMap(({ name, command, flags }) => [
      `While it is limited: ${name}`,
      ...commandLines({ command, flags, mode: agent.mode }, call),
    ]),
    ...reviewers.flatMap((reviewer) => reviewerLines(reviewer, call)),
    ...(await sandboxLines(sandbox, { ...wanted, stateRoot: environment.root.path })),
    ...(unprotected === null ? [] : [`  ${notBegun(unprotected).message}`, `  ${unprotected.hint}`]),
  ];

  // Without project settings and without a chosen sandbox, ralph takes the strongest one.
  const isStrongest = !hasProjectSettings(taken.texts) && !(given.sandbox?.kind ?? settings.sandbox?.kind);
  say('Settings:');
  const proof = proofOrigins(given.prove, request.proof, { set: settings.proof, cwd });
  const flags = flagsOf(request, inputs, isStrongest, proof);
  const explained = explainSettings(proofShown(settings, request.proof), parseLayers(taken.texts), flags);
  const width = Math.max(...explained.map(({ path }) => path.length));
  for (const { path, value, origin } of explained)
    say(`  ${path.padEnd(width)}  ${JSON.stringify(value)}  (${printable(origin)})`);
  for (const line of [...lines, `\nFirst prompt:\n${prompt}`, '\nDry run: nothing was started.']) say(line);
  return 0;
}

/** Where each setting has its value from. `flags`: what the command line overrides, by path. */
export function explainSettings(
  settings: Settings,
  { user, base, local }: SettingsLayers,
  flags: ReadonlyMap<string, { readonly flag: string; readonly value: unknown }>,
) {
  const lines = new Map(
    leaves(settings).map(([path, value]) => {
      const layers = [
        [local, LOCAL_FILE],
        [base, SETTINGS_FILE],
        [user?.layer, user?.file],
      ] as const;
      const [, origin = 'default'] = layers.find(([layer]) => holds(layer, path)) ?? [];
      return [path.join('.'), { value, origin }];
    }),
  );
  for (const [path, { flag, value }] of flags) lines.set(path, { value, origin: flag });
  return [...lines].map(([path, line]) => ({ path, ...line }));
}

/** Objects are flattened; a list is one value, because a local list replaces the whole list. */
function leaves(value: unknown, path: readonly string[] = []): [readonly string[], unknown][] {
  if (!isFields(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function holds(layer: unknown, path: readonly string[]): boolean {
  const at = (outer: unknown, key: string) => (isFields(outer) && Object.hasOwn(outer, key) ? outer[key] : undefined);
  return path.reduce(at, layer) !== undefined;
}

/** What the command line overrides, and what is chosen if there are no settings. */
function flagsOf(request: RunRequest, inputs: RunInputs, isStrongest: boolean, proof: ReturnType<typeof proofOrigins>) {
  const { maximumIterations, completionResponse, streamAgentOutput, agentTimeoutMs } = request;
  const timeout = agentTimeoutMs === null ? null : formatDuration(agentTimeoutMs);
  const given: readonly (readonly [path: string, origin: string, value: unknown])[] = [
    ...chosenOf(request, inputs),
    ['sandbox.kind', 'the strongest here', isStrongest ? (request.sandbox?.kind ?? 'none') : null],
    ['maximumIterations', '--maximum-iterations', maximumIterations],
    ['completionResponse', '--completion-response', completionResponse],
    ['streamAgentOutput', `--${streamAgentOutput === false ? 'no-' : ''}stream-agent-output`, streamAgentOutput],
    ['agent.timeout', '--agent-timeout', timeout],
    ...proof,
  ];
  const origins = given.filter(([, , value]) => value !== null);
  return new Map(origins.map(([path, flag, value]) => [path, { flag, value }]));
}

function chosenOf({ chosen, model }: RunRequest, { agent, guardrails }: RunInputs) {
  const { command, flags } = agent;
  const isUnattended = chosen?.agent != null && profileFor(command).autonomy?.every((flag) => flags.includes(flag));
  const reasons = [
    ...(chosen?.agent == null || flags.length === 0
      ? []
      : [isUnattended ? 'to work unattended' : chosen.origins.agent]),
    ...(model === null ? [] : ['--model']),
  ];
  return [
    ['agent.command', chosen?.origins.agent ?? '', chosen?.agent == null ? null : command],
    ['agent.flags', reasons.join(', '), reasons.length === 0 ? null : flags],
    [
      'guardrails',
      chosen?.origins.checks || 'none found',
      chosen?.checks == null ? null : guardrails.map(({ command }) => command),
    ],
  ] as const;
}
