/** `ralph run --dry-run`: what would happen, and why; nothing is started and nothing is written. */

import { ANSWER_FILE } from '../agents/describe-command.ts';
import { helpOf } from '../agents/help.ts';
import { agentsAccess, profileFor } from '../agents/index.ts';
import { readEnvironment } from '../config/environment.ts';
import { explainSettings } from '../config/explain.ts';
import { effectiveSettings, readLayers } from '../config/settings.ts';
import { formatDuration } from '../core/text/duration.ts';
import { maskFor } from '../core/text/mask.ts';
import { quoteWord } from '../core/text/quote-word.ts';
import { inputsFrom } from '../loops/run/inputs.ts';
import { readPrompt } from '../loops/run/prompt.ts';
import { firstPrompt, type RunRequest } from '../loops/run/rules.ts';
import { findProgram } from '../process/which.ts';
import { resolveSandbox } from '../runners/choose.ts';
import type { Sink } from './outlet.ts';
import { sandboxLines } from './sandbox-lines.ts';

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
  const adapter = profileFor(agent.command);
  const program = findProgram(agent.command, variables.PATH, cwd);
  const help = helpOf(adapter, program, variables);
  const wanted = { env: variables, access: agentsAccess(agent.command), cwd };
  const { request: sandbox } = await resolveSandbox(request.sandbox, settings.sandbox, wanted);
  const isEnclosed = sandbox.kind !== 'none';
  const { argv, promptOnStdin } = adapter.commandLine({ ...agent, prompt, help, answerFile: ANSWER_FILE, isEnclosed });
  const { path: stateRoot } = environment.root;
  // A mistake in the flags shows here, before a page of what it does not touch.
  const enclosure = await sandboxLines(sandbox, { loop: 'dry run', stateRoot, ...wanted });

  say('Settings:');
  const explained = explainSettings(settings, layers, flagsOf(request));
  const width = Math.max(...explained.map(({ path }) => path.length));
  for (const { path, value, origin } of explained)
    say(`  ${path.padEnd(width)}  ${JSON.stringify(value)}  (${origin})`);
  say(`\nCommand line${promptOnStdin ? ' (the prompt goes in by stdin)' : ''}:\n  ${argv.map(quoteWord).join(' ')}`);
  say(program === null ? `  warning: ${agent.command} is not on the PATH` : `  runs ${program}`);
  say('');
  for (const line of enclosure) say(line);
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
