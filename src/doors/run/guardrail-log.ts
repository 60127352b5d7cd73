/** Where a guardrail's output goes: `.ralph/guardrail_<iteration>_<slug>.log`, each name once per iteration. */

const LONGEST_SLUG = 50;

export function guardrailLog(iteration: number, commands: readonly string[], index: number): string {
  const slug = slugOf(commands[index] ?? '');
  const twins = commands.slice(0, index).filter((command) => slugOf(command) === slug).length;
  const suffix = twins === 0 ? '' : `_${twins}`;
  return `.ralph/guardrail_${String(iteration).padStart(3, '0')}_${slug}${suffix}.log`;
}

function slugOf(command: string): string {
  const words = command.replaceAll(/[^a-zA-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return words.slice(0, LONGEST_SLUG);
}
