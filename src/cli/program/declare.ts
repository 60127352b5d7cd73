/** Declares a command below another one, and hands over the exit code that it returns. */
import type { Command } from 'commander';

/** An example that begins with a line break is the whole text after the flags. */
export function declare(parent: Command, name: string, description: string, example = `ralph ${name}`): Command {
  const examples = example.startsWith('\n') ? example : `\nExample:\n  ${example}`;
  return parent.command(name).description(description).addHelpText('after', examples);
}

/** Sets the exit code of the process, which main.ts ends once everything is written. */
export async function exitWith(code: Promise<number>): Promise<void> {
  process.exitCode = await code;
}
