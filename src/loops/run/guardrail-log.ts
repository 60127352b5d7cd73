/** Where a guardrail's output goes: `.ralph/guardrail_<iteration>_<slug>.log`, each name once per iteration. */
import { logSlug } from '../../core/check.ts';

export function guardrailLog(iteration: number, commands: readonly string[], index: number): string {
  const taken = new Set<string>();
  let name = '';
  for (const command of commands.slice(0, index + 1)) {
    const slug = logSlug(command);
    name = slug;
    for (let twin = 1; taken.has(name); twin++) name = `${slug}_${twin}`;
    taken.add(name);
  }
  return `.ralph/guardrail_${String(iteration).padStart(3, '0')}_${name}.log`;
}
