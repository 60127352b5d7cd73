/** `ralph rehearse`: loads a script, runs the command against it, reports what was asked of the model. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errnoOf, RalphError } from '../core/error.ts';
import type { Environment } from '../rehearsal/environment.ts';
import { type Rehearsed, rehearse } from '../rehearsal/rehearse.ts';
import { parseScript, type Script } from '../rehearsal/script.ts';

export interface RehearseArguments {
  readonly script: string;
  readonly command: readonly string[];
}

export interface RehearseIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cwd: string;
}

/** A stream with a descriptor, such as `process.stdout`: the command inherits it and keeps its terminal. */
export interface Output {
  readonly fd: number;
  write(text: string): unknown;
}

/** Resolves to the command's exit code. */
export async function rehearseCli(argv: RehearseArguments, io: RehearseIo): Promise<number> {
  const script = await loadScript(resolve(io.cwd, argv.script));
  const rehearsed = await rehearse({
    script,
    command: argv.command,
    env: io.env,
    cwd: io.cwd,
    stdio: ['inherit', io.stdout.fd, io.stderr.fd],
  });
  io.stderr.write(report(script, rehearsed));
  return rehearsed.exitCode;
}

async function loadScript(path: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!errnoOf(error)) throw error;
    throw new RalphError('rehearsal-script', `The script ${path} cannot be read (${errnoOf(error)}).`, {
      hint: 'Name a JSON file with --script.',
      exitCode: 2,
    });
  }
  return parseScript(text, path);
}

function report(script: Script, { requests }: Rehearsed): string {
  const played = requests.filter(({ answer }) => answer.kind === 'turn').length;
  const left = script.turns.length - played;
  const unanswered = requests.filter(({ answer }) => answer.kind === 'exhausted').length;
  const summary = `Rehearsal: ${requests.length} requests, ${played} turns played, ${left} left\n`;
  if (unanswered === 0) return summary;
  return `${summary}The script was exhausted: ${unanswered} of the requests found no turn.\n`;
}
