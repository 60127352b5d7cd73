/** Declares a command below another one, as every `program.ts` does. */
import type { Command } from 'commander';

/** An example that begins with a line break is the whole text behind the flags. */
export function declare(parent: Command, name: string, description: string, example = `ralph ${name}`): Command {
  const examples = example.startsWith('\n') ? example : `\nExample:\n  ${example}`;
  return parent.command(name).description(description).addHelpText('after', examples);
}

/** The parser of a flag that is repeatable. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
