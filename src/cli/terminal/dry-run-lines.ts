/** What the dry runs of all loop kinds show: the agent's command line, and what a resolved sandbox would allow. */
import { type CommandOptions, plannedCommand } from '../../agents/command.ts';
import { agentsAccess } from '../../agents/index.ts';
import type { AgentChoice } from '../../core/action.ts';
import type { ReviewTerms } from '../../core/review/review.ts';
import { quoteWords } from '../../core/text/quote-word.ts';
import { type PolicyFacts, policyFacts, type SandboxPlace } from '../../runners/sandbox/facts.ts';
import { describePolicy, type LoopPaths, sandboxPolicy, withLoopPaths } from '../../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';

export function commandLines(agent: AgentChoice, options: CommandOptions): string[] {
  const { argv, promptOnStdin, program } = plannedCommand(agent, options);
  return [
    `\nCommand line${promptOnStdin ? ' (the prompt is passed on stdin)' : ''}:\n  ${quoteWords(argv)}`,
    program === null ? `  warning: ${agent.command} is not on the PATH` : `  runs ${program}`,
    '',
  ];
}

/** The prompt of a review depends on the work, so it is only described. */
export function reviewerLines({ name, command, flags }: ReviewTerms['by'], options: CommandOptions): string[] {
  const prompt = 'the task, what was changed, and what to look for';
  return [
    `What is called done is reviewed by: ${name}`,
    ...commandLines({ command, flags, mode: 'stream' }, { ...options, prompt }),
  ];
}

type DryPlace = Pick<SandboxPlace, 'cwd' | 'env' | 'stateRoot'> & { readonly agents: readonly string[] };

export async function sandboxLines(sandbox: SandboxRequest, { agents, ...place }: DryPlace, loopPaths?: LoopPaths) {
  if (sandbox.kind === 'none') return ['Sandbox: none'];
  const facts = policyFacts({ ...place, loop: 'dry run', access: agentsAccess(...agents) });
  return sandboxLinesFrom(sandbox, facts, loopPaths);
}

/** For a work tree that does not exist yet. */
export async function sandboxLinesFrom(sandbox: SandboxRequest, facts: PolicyFacts, loopPaths?: LoopPaths) {
  if (sandbox.kind === 'os') {
    const policy = withLoopPaths(sandboxPolicy(facts, sandbox), loopPaths);
    return ["Sandbox (the operating system's):", ...describePolicy(policy)];
  }
  if (sandbox.kind !== 'docker') return ['Sandbox: none'];
  const { describeDocker, dockerPolicy } = await import('../../runners/docker-sandbox.ts');
  return ["Sandbox (Docker's):", ...describeDocker(dockerPolicy(facts, sandbox, loopPaths))];
}
