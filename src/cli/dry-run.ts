/** `ralph run --dry-run`: what would happen, and why; nothing is started and nothing is written. */

import { agentsAccess } from '../agents/index.ts';
import { readEnvironment } from '../config/environment.ts';
import { explainSettings } from '../config/explain.ts';
import { effectiveSettings, readLayers } from '../config/settings.ts';
import { formatDuration } from '../core/text/duration.ts';
import { maskFor } from '../core/text/mask.ts';
import { inputsFrom } from '../loops/run/inputs.ts';
import { readPrompt } from '../loops/run/prompt.ts';
import { firstPrompt, type RunRequest } from '../loops/run/rules.ts';
import { resolveSandbox } from '../runners/choose.ts';
import { commandLines, sandboxLines } from './terminal/dry-run-lines.ts';
import type { Sink } from './terminal/outlet.ts';

export async function dryRun(request: RunRequest, cwd: string, stdout: Sink): Promise<number> {
  const environment = readEnvironment();
  const { variables } = environment;
  const mask = maskFor(variables);
  const say = (line: string): unknown => stdout.write(`${mask(line)}\n`);
  const layers = readLayers(cwd);
  const settings = effectiveSettings(layers);
  const inputs = inputsFrom(settings, request, readPrompt(request, cwd));

  const prompt = firstPrompt(inputs);
  const agent = { ...inputs.agent, mode: inputs.streamAgentOutput ? 'stream' : 'text' } as const;
  const wanted = { env: variables, access: agentsAccess(agent.command), cwd };
  const { request: sandbox } = await resolveSandbox(request.sandbox, settings.sandbox, wanted);
  const call = { prompt, cwd, env: variables, isEnclosed: sandbox.kind !== 'none' };
  const command = commandLines(agent, call);
  const { path: stateRoot } = environment.root;
  // A mistake in the flags shows here, before a page of what it does not touch.
  const enclosure = await sandboxLines(sandbox, { loop: 'dry run', stateRoot, ...wanted });

  say('Settings:');
  const explained = explainSettings(settings, layers, flagsOf(request));
  const width = Math.max(...explained.map(({ path }) => path.length));
  for (const { path, value, origin } of explained)
    say(`  ${path.padEnd(width)}  ${JSON.stringify(value)}  (${origin})`);
  for (const line of [...command, ...enclosure]) say(line);
  say(`\nFirst prompt:\n${prompt}`);
  say('\nDry run: nothing was started.');
  return 0;
}

function flagsOf(request: RunRequest): Map<string, { flag: string; value: unknown }> {
  const given: [string, string, unknown][] = [
    ['maximumIterations', '--maximum-iterations', request.maximumIterations],
    ['completionResponse', '--completion-response', request.completionResponse],
    [
      'streamAgentOutput',
      request.streamAgentOutput === false ? '--no-stream-agent-output' : '--stream-agent-output',
      request.streamAgentOutput,
    ],
    [
      'agent.timeout',
      '--agent-timeout',
      request.agentTimeoutMs === null ? null : formatDuration(request.agentTimeoutMs),
    ],
  ];
  return new Map(given.filter(([, , value]) => value !== null).map(([path, flag, value]) => [path, { flag, value }]));
}
