/** The checks before a task begins and its folder is created. Errors are worded as in seed 002: `Fatal error: …`. */
import type { Environment } from '../../config/environment.ts';
import { handled, RalphError } from '../../core/error.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { TaskRequest } from '../../loops/tasks/request.ts';
import { preflightOf, type ShowFindings } from '../../preflight/before-loop.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { printable } from '../../stream/printable.ts';
import { painter } from '../../views/paint.ts';
import { preflightLines } from '../terminal/finding-lines.ts';
import { thisTerminal } from '../terminal.ts';

type Looked = Pick<TaskRequest, 'agent' | 'flags' | 'cwd'> & {
  readonly sandbox: SandboxRequest | null;
  readonly fallbacks: readonly { readonly agent: string }[];
  readonly reviewer?: string | undefined;
};

const CHOOSING_HINT = 'name another with --agent. To see what is installed: ralph agents';

/** `noSandbox`: why the requested sandbox is not available. If that is the only problem, it is thrown as it is. */
export function isRefused(
  { agent: command, flags, cwd, sandbox, fallbacks, reviewer }: Looked,
  environment: Environment,
  noSandbox: RalphError | null,
): boolean {
  const { variables: env, mask, root } = environment;
  const shown = { paint: painter(thisTerminal(environment).stderrColor), mask };
  const show: ShowFindings = (findings) => process.stderr.write(`${preflightLines(findings, shown).join('\n')}\n`);
  const plan = { cwd, env, sandbox: sandbox?.kind, runner: 'direct', checks: [], choosingHint: CHOOSING_HINT } as const;
  const check = (): null => {
    const agents = [
      { command, flags },
      ...fallbacks.map(({ agent }) => ({ command: agent, flags: [], flag: '--fallback' as const })),
      ...(reviewer === undefined ? [] : [{ command: reviewer, flags: [], flag: '--review-agent' as const }]),
    ];
    const problems = noSandbox === null ? [] : [noSandbox];
    preflightOf({ stateRoot: root.path, show }).check({ ...plan, agents, problems });
    return null;
  };
  const problem = handled(check, (error) => error);
  if (problem === null) return false;
  if (!(problem instanceof RalphError) || problem.message === noSandbox?.message) throw noSandbox ?? problem;
  const hint = command.includes(' ') ? 'Give flags for the agent with --agent-flag.' : problem.advice.hint;
  const lines = linesOf(`Fatal error: ${problem.message}`, hint !== undefined && `hint: ${hint}`);
  process.stderr.write(printable(mask(`${lines.join('\n')}\n`)));
  return true;
}
