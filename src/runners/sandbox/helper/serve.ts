/**
 * The helper of a loop's sandbox: one process with the runtime, its proxies and its monitor for all programs of the
 * loop. It does not start them: it answers with the command that starts one, and receives what is refused. It ends when
 * its supervisor does.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { lineSplitter } from '../../../stream/lines.ts';
import { quarantineFolder } from '../own-environment.ts';
import { type LoopPolicy, readingPolicy } from '../policy.ts';
import { quarantine, watchVacant } from '../refusals.ts';
import { enterRuntime, MOST_REFUSALS, noteOnce, readRuntimePolicy, reportable, runtimeConfig } from '../runtime.ts';
import { encodedName } from './bwrap-words.ts';
import type { Answer, Answered, ProgramAsked, Question } from './messages.ts';
import { openTemplate } from './template.ts';

export interface SandboxHelperFlags {
  readonly policy: string;
  readonly grace: string;
}

/** Until the connection of a program's monitor is accepted, read and closed: each takes a turn of the event loop. */
const TURNS_OF_LAST_WORDS = 4;

export async function serveSandbox(
  flags: SandboxHelperFlags,
  env: NodeJS.ProcessEnv,
  { input, output }: { readonly input: Readable; readonly output: Writable },
): Promise<number> {
  const kept = readRuntimePolicy(flags.policy);
  const { policy } = kept;
  const reading = readingPolicy(policy);
  const { folder, path } = enterRuntime(policy, env);
  await SandboxManager.initialize(runtimeConfig(kept), undefined, true);
  ignoreSignals();
  const keepsAsked = spawnSync('env', ['--default-signal=TERM', 'true'], { stdio: 'ignore' }).status === 0;
  const template = await openTemplate(kept, { folder, path, keepsAsked, grace: Number(flags.grace) });
  /** By their encoded names, which the runtime uses in what it logs. */
  const programs = new Map<string, Program>();
  const whose = (name: string | undefined): Program | undefined =>
    // A refusal without a name, or with one that a program made up, most likely concerns the program that was started
    // last.
    programs.get(name ?? '') ?? [...programs.values()].at(-1);
  SandboxManager.getSandboxViolationStore().subscribe((violations) => {
    const last = violations.at(-1);
    const program = whose(last?.encodedCommand);
    if (last === undefined || program === undefined) return;
    const refusal = reportable(last.line, program.policy);
    if (refusal !== null) program.refused(refusal);
  });
  const put = quarantineFolder(dirname(flags.policy));
  const look = (name?: string): void => {
    for (const refusal of quarantine(policy, put)) whose(name)?.planted(refusal);
  };
  let unwatch = (): void => undefined;
  const watchAgain = (): void => {
    unwatch();
    // For each program again: folders may have been created since.
    unwatch = watchVacant(policy, look);
  };

  const over = (name: string): void => {
    programs.delete(encodedName(name));
    if (programs.size === 0) template.tidy();
  };

  const begin = async (asked: ProgramAsked): Promise<Answer> => {
    const name = randomBytes(6).toString('hex');
    const own = asked.onlyReads ? reading : policy;
    programs.set(encodedName(name), {
      policy: own,
      refused: noteOnce(asked.refusals, MOST_REFUSALS),
      planted: noteOnce(asked.refusals),
    });
    try {
      const words = await template.wordsFor({ ...asked, name, policy: own });
      setImmediate(watchAgain);
      return { kind: 'program', name, words };
    } catch (error) {
      over(name);
      throw error;
    }
  };
  const end = async (name: string): Promise<Answer> => {
    if (!programs.has(encodedName(name))) throw new Error('it was started with another helper');
    for (let turns = 0; turns < TURNS_OF_LAST_WORDS; turns++) await turn();
    look(encodedName(name));
    over(name);
    return { kind: 'seen' };
  };
  const answer = async (question: Question): Promise<void> => {
    const asked = question.ask === 'program' ? begin(question.program) : end(question.name);
    const given = await asked.catch((error: unknown): Answer => {
      return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
    });
    const line: Answered = { id: question.id, ...given };
    output.write(`${JSON.stringify(line)}\n`);
  };
  // Our own supervisor writes this, through a pipe that no other process has: the cast is safe.
  const lines = lineSplitter({ onLine: (line) => void answer(JSON.parse(line.toString('utf8')) as Question) });
  for await (const chunk of input) lines.push(chunk as Buffer);
  unwatch();
  template.close();
  rmSync(folder, { recursive: true, force: true });
  return 0;
}

interface Program {
  readonly policy: LoopPolicy;
  readonly refused: ReturnType<typeof noteOnce>;
  readonly planted: ReturnType<typeof noteOnce>;
}

/** From a terminal, the supervisor gets them as well. The helper ends when the supervisor closes its input, or dies. */
function ignoreSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      // Its programs would lose their network before they have ended.
    });
  }
}
