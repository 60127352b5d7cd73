/** Messages about `verifyCommands`: before the first iteration, and to an agent if they fail. Pure. */
import { describeOutcome } from '../../core/check.ts';
import { printable } from '../../stream/printable.ts';
import type { TasksFile } from './list/tasks.ts';
import type { StoriesRequest } from './request.ts';
import type { RedCheck } from './state.ts';

/** For the agent that has to fix it. Control characters in a program's output must not reach the list or a prompt. */
export function feedbackOf(red: readonly RedCheck[]): string {
  return [
    'The loop ran verifyCommands itself, and this story does not count while they fail:',
    ...red.map(({ command, outcome, output, truncated }) => {
      const said = printable(output).trimEnd();
      const what = truncated ? 'The end of its output' : 'Its output';
      const shown = said === '' ? 'It printed nothing.' : `${what}:\n${said}`;
      return `$ ${printable(command)}\n${describeOutcome(outcome)}. ${shown}`;
    }),
  ].join('\n\n');
}

export function redNames(red: readonly RedCheck[]): string {
  return red.map(({ command, outcome }) => `${printable(command)} (${describeOutcome(outcome)})`).join(' and ');
}

export function verifyPlan({ verifyCommands = [] }: TasksFile, { ralphDir, verify }: StoriesRequest): string {
  const commands = verifyCommands.filter((command) => command.trim() !== '').join(', ');
  const none = `${ralphDir}/tasks.json has no verifyCommands: ralph runs no checks of its own`;
  const unrun = `--no-verify: ralph does not run verifyCommands (${commands})`;
  if (commands !== '' && verify) return `Before a story counts, ralph runs: ${commands}`;
  return `WARNING: ${commands === '' ? none : unrun}, the agents' word is all there is`;
}

/** What is run in addition once every story is approved. */
export function provePlan({ verifyCommands = [] }: TasksFile, { proof, verify }: StoriesRequest): string[] {
  if (proof === undefined || !verify || verifyCommands.length === 0) return [];
  const after = proof.setup === null ? '' : `, after ${proof.setup}`;
  return [`Once all stories are approved, ralph runs them in a clean checkout${after}`];
}
