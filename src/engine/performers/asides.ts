/** Sends an agent a message while it works, if its profile allows: in a file that its hook reads after every tool. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unlessGiven } from '../../agents/flags.ts';
import type { AgentProfile } from '../../agents/profile.ts';
import { writeFile } from '../../process/files.ts';
import type { RunFiles } from '../../runners/runner.ts';

interface Asides {
  readonly flags: readonly string[];
  /** The agent's hook must be able to empty the file after reading it, even in a sandbox. */
  readonly writes: readonly string[];
}

export const NO_ASIDES: Asides = { flags: [], writes: [] };

type Run = Pick<RunFiles, 'folder' | 'name'>;

const fileOf = ({ folder, name }: Run): string => join(folder, `${name}.aside`);

/** For a run that is about to be started. No asides if the user passed the option themselves. */
export function openAsides({ asides }: AgentProfile, given: readonly string[], run: Run): Asides {
  const file = fileOf(run);
  const flags = asides === undefined ? [] : unlessGiven([asides.flags(file)], given);
  if (flags.length === 0) return NO_ASIDES;
  writeFile(file, '', { mode: 0o600 });
  return { flags, writes: [file] };
}

const WRAP_UP = `The budget for this work is nearly used up, and you will be stopped when it is. Wrap up now: do not begin anything new, bring what you are doing to a state from which it can be continued, write down what is left where the next one will look for it, and finish your answer.`;

/** A function that asks the agent to wrap up, at most once; undefined if the agent cannot get messages. */
export function wrapUpOf({ asides }: AgentProfile, run: Run): (() => void) | undefined {
  const file = fileOf(run);
  if (asides === undefined || !existsSync(file)) return undefined;
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    try {
      // Written in place: a sandbox keeps showing the file that was there when it began, not one renamed over it.
      writeFile(file, asides.content(WRAP_UP));
    } catch {
      // Then the agent is ended when the budget is used up, like one that cannot be asked.
    }
  };
}
