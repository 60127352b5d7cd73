/** The contract of an agent: how to call it and how to read it. One file per agent beside this one. */
import type { AgentChoice } from '../core/action.ts';
import type { AgentEvent, AgentResult } from '../core/events.ts';
import type { Exit, Outcome } from '../core/outcome.ts';

export interface AgentAdapter {
  readonly name: string;
  /** The command that installs it, where there is one. */
  readonly install: string | null;
  commandLine(call: AgentCall): CommandLine;
  /** A parser for one run's output. */
  parser(choice: AgentChoice): AgentParser;
}

/** The flags are the user's own: an adapter adds none that stands there already. */
export interface AgentCall extends AgentChoice {
  readonly prompt: string;
}

export interface CommandLine {
  readonly argv: readonly [string, ...string[]];
  /** Does the prompt go in by stdin? Otherwise it is an argument and stdin is closed. */
  readonly promptOnStdin: boolean;
}

export interface AgentParser {
  /** One line of stdout, without its end. */
  parse(line: string): readonly AgentEvent[];
  /** Is what it calls text the agent's own words, apart from echoes? False for plain text. */
  readonly hasStructure: boolean;
}

/** Linux takes no single argument above 128 KiB; some room is left for the encoding. */
export const LONGEST_ARGUMENT = 100_000;

/**
 * What a run's exit and its own closing account mean together. A non-zero exit never completes anything, and neither
 * does a stream that began with structure and broke off before its closing account.
 */
export function judgeRun(exit: Exit, account: AgentResult | null, brokeOff: boolean): Outcome {
  if (exit.by === 'unseen') {
    if (account === null) {
      return { kind: 'interrupted', reason: 'it ended while nobody watched, without a final result' };
    }
    return account.isError ? { kind: 'failed', exit, reason: REPORTED } : { kind: 'worked' };
  }
  if (exit.by !== 'code' || exit.code !== 0) return { kind: 'failed', exit };
  if (account?.isError === true) return { kind: 'failed', exit, reason: REPORTED };
  return brokeOff ? { kind: 'failed', exit, reason: BROKE_OFF } : { kind: 'worked' };
}

const REPORTED = 'it reported an error';
const BROKE_OFF = 'its output broke off before its final result';
