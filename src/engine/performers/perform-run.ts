/** Starts an agent's run, at most once for its key, and sees it to its end. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { helpOf } from '../../agents/command.ts';
import { profileFor } from '../../agents/index.ts';
import { judgeRun } from '../../agents/judge.ts';
import { readRunOutput } from '../../agents/run-output-reader.ts';
import { missingAgent, startHint } from '../../agents/unstartable.ts';
import type { Action } from '../../core/action.ts';
import type { AgentEvent } from '../../core/events.ts';
import { runName } from '../../core/keys.ts';
import type { Exit } from '../../core/outcome.ts';
import type { Ran, Result } from '../../core/record.ts';
import { whyNoFolder, writeFile } from '../../process/files.ts';
import { LaunchError } from '../../process/launch.ts';
import { findProgram } from '../../process/which.ts';
import { transcriptOf } from '../../runners/runner.ts';
import { hasNothingToCommit } from '../../scm/publish.ts';
import { readPlain } from '../../state/plain-file.ts';
import { claimRun, outputFile, refuseFull, runsFolder } from '../../state/run-files.ts';
import { lineSplitter } from '../../stream/lines.ts';
import { idleLimit } from './idle-limit.ts';
import { INTERRUPTED, keyEnvironment, type LocalPerformers, markOf, timeLimit } from './local.ts';
import type { PerformAt } from './perform.ts';

type Of<Do extends Action['do']> = Extract<Action, { do: Do }>;

/** Finds or starts: a claim that is there means that a supervisor that died had started this key, or was about to. */
export async function startRun(local: LocalPerformers, action: Of<'start'>): Promise<Result> {
  const { cwd, host, runner, loop, artifacts, promptsOnStdin = false } = local;
  const { run, agent } = action;
  const search = { path: host.env.PATH, cwd, choosingHint: local.choosingHint };
  const nowhere = whyNoFolder(cwd);
  if (nowhere !== null) return { kind: 'unstartable', ...nowhere };
  const program = findProgram(agent.command, host.env.PATH, cwd);
  if (program === null) return { kind: 'unstartable', ...missingAgent(agent.command, search) };
  const missing = runner.missing?.(cwd) ?? null;
  if (missing !== null) return { kind: 'unstartable', ...missing };
  const key = runName(run);
  const { folder, name, isNew } = claimRun(loop.folder, key);
  const started: Result = { kind: 'started', handle: { runner: runner.name, name } };
  if (!isNew) return started;
  if (action.unlessClean !== undefined) {
    const mark = markOf(loop.id, key, 1);
    if (await hasNothingToCommit(action.unlessClean, { cwd, folder, mark }, host)) return { kind: 'needless' };
  }

  const kept = (await artifacts?.open(run, name, action.prompt)) ?? null;
  // No argument can hold a NUL, wherever it came from.
  const prompt = (kept?.prompt ?? action.prompt).replaceAll('\0', '\uFFFD');
  const adapter = profileFor(agent.command);
  // What an agent could have written is not run outside of its sandbox.
  const help = host.enclosure?.mayWrite(program) === true ? null : helpOf(adapter, program, host.env);
  const answerFile = join(folder, answerName(name));
  const { argv, promptOnStdin } = adapter.commandLine({
    ...agent,
    prompt,
    help,
    answerFile,
    wantsStdin: promptsOnStdin,
    isEnclosed: host.enclosure !== undefined,
  });
  const promptFile = kept?.promptFile ?? promptName(name);
  // An agent whose output is plain text may echo its prompt, which the reader must recognise, also after a crash.
  if (kept === null && (promptOnStdin || !adapter.parser(agent).hasStructure)) {
    writeFile(join(folder, promptFile), prompt, { mode: 0o600 });
  }
  const env = { ...adapter.environment, ...host.env, ...kept?.env, ...keyEnvironment(loop.id, key, 1) };
  const stdin = promptOnStdin ? { stdin: promptFile } : {};
  const place = kept === null ? {} : { transcript: kept.transcript };
  try {
    const mark = markOf(loop.id, key, 1);
    const writes = argv.includes(answerFile) ? { writes: [answerFile] } : {};
    const { pid } = await runner.start({ folder, name, mark, argv, cwd, env, ...stdin, ...writes, ...place });
    await artifacts?.started(name, pid, argv);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    await artifacts?.refused(name, error.message);
    return { kind: 'unstartable', reason: error.message, hint: startHint(agent.command, search) };
  }
  return started;
}

export async function awaitRun(local: LocalPerformers, action: Of<'await'>, at: PerformAt): Promise<Result> {
  const { run, agent, handle, listen, limits } = action;
  const { name } = handle;
  const folder = runsFolder(local.loop.folder);
  const kept = local.artifacts?.find(name) ?? null;
  const place = kept === null ? {} : { transcript: kept.transcript };
  const files = { folder, name, mark: markOf(local.loop.id, runName(run), 1), ...place };
  const output = transcriptOf(files);
  const limit = timeLimit(limits.timeMs, at.signal);
  const idle = idleLimit([join(output.folder, output.stdout), join(output.folder, output.stderr)], limits.idleMs);
  const parser = profileFor(agent.command).parser(agent);
  const promptFile = kept?.promptFile ?? join(folder, promptName(name));
  const prompt = parser.hasStructure ? '' : (readPlain(promptFile) ?? '');
  const hopeless = new AbortController();
  const show = (event: AgentEvent): void => {
    at.progress(event);
    if (event.type === 'fault' && event.isHopeless === true) hopeless.abort();
  };
  const hearing = readRunOutput(parser, listen, prompt, { show, watches: agent.mode === 'stream' });
  const stderr = lineSplitter({ onLine: (line) => hearing.pushStderr(line.toString('utf8')) });
  let bytes = 0;
  let refusals = 0;
  const exit = await local.runner.await(files, {
    onOutput: (chunk) => {
      bytes += chunk.length;
      if (parser.answersInFile !== true) hearing.push(chunk);
    },
    onStderr: (chunk) => stderr.push(chunk),
    onRefusal: (text) => {
      refusals++;
      at.progress({ type: 'refusal', text });
    },
    ready: at.ready,
    signal: AbortSignal.any([limit.signal, idle.signal, hopeless.signal]),
  });
  idle.close();
  stderr.end();
  if (!at.signal.aborted) refuseFull(output.folder, output.stdout);
  if (parser.answersInFile === true) hearing.push(readIfThere(join(folder, answerName(name))));
  const heard = hearing.end();
  await local.artifacts?.ended(name, { exit, cutOff: cutOff(at.signal, idle.expired(), limit.expired()), refusals });
  if (at.signal.aborted) return INTERRUPTED;
  const { said, account, toolCalls, complaint } = heard;
  const outcome = judgeRun(limit.expired() ?? idle.expired() ?? exit, heard);
  const ran: Ran = {
    outcome,
    said,
    transcript: {
      path: kept === null ? join('runs', outputFile(name)) : join(output.folder, output.stdout),
      bytes,
    },
    ...(account === null ? {} : { account }),
    ...(idle.expired() === null ? {} : { endedBy: 'inactivity' }),
    ...(toolCalls === null ? {} : { toolCalls }),
    ...(outcome.kind === 'failed' && complaint !== null ? { complaint } : {}),
    ...(refusals === 0 ? {} : { refusals }),
  };
  return { kind: 'ran', ...ran };
}

function cutOff(cancel: AbortSignal, idle: Exit | null, total: Exit | null): 'cancelled' | 'idle' | 'total' | null {
  if (cancel.aborted) return 'cancelled';
  if (idle !== null) return 'idle';
  return total === null ? null : 'total';
}

function promptName(name: string): string {
  return `${name}.prompt`;
}

function answerName(name: string): string {
  return `${name}.answer`;
}

function readIfThere(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}
