/** What a scripted model plays, read from JSON or YAML. The schema beside it checks that a file really says that. */
import { parse as parseYaml } from 'yaml';
import { RalphError } from '../../core/error.ts';
import type { Fault } from '../server/fault.ts';
import { describeIssue } from './script-issue.ts';
import { scriptSchema } from './script-schema.ts';

export interface Script {
  /** Where editors find the schema. */
  readonly $schema?: string;
  readonly turns: readonly Turn[];
  /** Played whenever no turn is left that fits; without it the model says that the script is exhausted. */
  readonly otherwise?: Turn;
}

/** One reply of the model. */
export interface Turn {
  /** When the turn may be taken; a text is looked for in the last user message. */
  readonly match?: string | Match;
  /** How often it is played: agents ask again after a failure, so a lasting fault needs more than one. */
  readonly times?: number;
  readonly think?: string;
  readonly say?: string;
  readonly tool?: ToolCall;
  readonly tools?: readonly ToolCall[];
  /** Shell commands, by whatever tool for them the agent offers. */
  readonly run?: string | readonly string[];
  /** A file with exactly this content, written before `run`, by the same tool. */
  readonly write?: FileWrite | readonly FileWrite[];
  readonly usage?: Usage;
  /** Silence before the first byte. */
  readonly delayMs?: number;
  readonly fault?: Fault;
}

/** All that is given must hold. */
export interface Match {
  readonly lastUser?: string;
  /** In any message or instruction of the request. */
  readonly anywhere?: string;
  readonly model?: string;
}

export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface FileWrite {
  readonly path: string;
  readonly content: string;
}

export interface Usage {
  /** Without those that the cache served or took. */
  readonly inputTokens: number;
  /** With those of the reasoning. */
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Reads a script from JSON or YAML text; `source` names it in errors, and its ending tells which of the two it is. */
export function parseScript(text: string, source: string): Script {
  return checkScript(isYaml(text, source) ? readYaml(text, source) : readJson(text, source), source);
}

export function checkScript(value: unknown, source: string): Script {
  const checked = scriptSchema.safeParse(value);
  if (checked.success) return checked.data;
  throw refuse(`${source}: ${describeIssue(checked.error)}`);
}

function isYaml(text: string, source: string): boolean {
  if (/\.ya?ml$/i.test(source)) return true;
  return !/\.json$/i.test(source) && !text.trimStart().startsWith('{');
}

function readJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(`${source} is not JSON: ${messageOf(error)}`);
  }
}

function readYaml(text: string, source: string): unknown {
  try {
    return parseYaml(text, { logLevel: 'error' });
  } catch (error) {
    throw refuse(`${source} is not YAML: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refuse(message: string): RalphError {
  return new RalphError('rehearsal-script', message, {
    hint: 'A script looks like {"turns": [{"run": "npm test"}, {"say": "Done."}]}, in JSON or YAML.',
    exitCode: 2,
  });
}
