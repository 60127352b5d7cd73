/** Checks whether the check commands can be run. Only warns: the agent may still create what they need. */
import { type Finding, fine, warning } from '../core/finding.ts';
import type { LoopPlan } from '../engine/loop-plan.ts';
import { findProgram, whyNoProgram } from '../process/which.ts';

export function checkFindings({ checks, sandbox, env, cwd }: LoopPlan): Finding[] {
  // The inside of a Docker Sandbox is not visible from here.
  if (sandbox === 'docker') return [];
  return checks.flatMap((command): Finding[] => {
    const program = firstProgram(command);
    if (program === null) return [];
    if (findProgram(program, env.PATH, cwd) !== null) return [fine(`check: ${command}`)];
    const notFound = program === command.trim() ? 'command not found' : `${program} was not found`;
    const why = whyNoProgram(program, env.PATH, cwd) ?? notFound;
    return [warning(`${command}: ${why}`, 'the agent may create it; it counts as failed until then')];
  });
}

const ASSIGNMENTS = /^(?:[A-Za-z_]\w*=(?:"[^"$`\\]*"|'[^']*'|[\w@%+.,:/=-]*)\s+)*/;
const WORD = /^[\w@%+.,:/-]+(?=[\s;&|<>]|$)/;
/** Builtins and keywords of `sh`. */
const SHELL_WORDS = new Set(
  (
    '. : alias bg break case cd command continue do done echo elif else esac eval exec exit export false fg fi for ' +
    'function getopts hash if jobs kill local printf pwd read readonly return set shift source test then time times trap ' +
    'true type ulimit umask unalias unset until wait while'
  ).split(' '),
);

/** The program that a shell command begins with; null if only a shell could tell. */
export function firstProgram(command: string): string | null {
  const text = command.trimStart();
  const [assignments = ''] = ASSIGNMENTS.exec(text) ?? [];
  const [word] = WORD.exec(text.slice(assignments.length)) ?? [];
  const isElsewhere = /(?:^|\s)PATH=/.test(assignments);
  return word === undefined || isElsewhere || SHELL_WORDS.has(word) ? null : word;
}
