/** Finds a command of ours at the beginning of what a person typed. */
import type { SessionCommand } from './host.ts';

export interface TypedCommand {
  readonly command: SessionCommand;
  /** Everything behind its name, as it was typed. */
  readonly args: string;
}

/** `signs` is the pattern of what stands before the name. */
export function typedCommand(signs: string, text: string): TypedCommand | null {
  const found = new RegExp(String.raw`^\s*${signs}(ralph-loop|ulw-loop|cancel-ralph|ralph-status)(?=\s|$)`).exec(text);
  if (found === null) return null;
  return { command: found[1] as SessionCommand, args: text.slice(found[0].length) };
}
