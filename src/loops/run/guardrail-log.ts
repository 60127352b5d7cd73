/** Where a guardrail's output goes: `.ralph/guardrail_<iteration>_<slug>.log`, each name once per iteration. */

const LONGEST_SLUG = 50;

export function guardrailLog(iteration: number, commands: readonly string[], index: number): string {
  const taken = new Set<string>();
  let name = '';
  for (const command of commands.slice(0, index + 1)) {
    const slug = slugOf(command);
    name = slug;
    for (let twin = 1; taken.has(name); twin++) name = `${slug}_${twin}`;
    taken.add(name);
  }
  return `.ralph/guardrail_${String(iteration).padStart(3, '0')}_${name}.log`;
}

function slugOf(command: string): string {
  const words = command.replaceAll(/[^a-zA-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return words.slice(0, LONGEST_SLUG);
}
