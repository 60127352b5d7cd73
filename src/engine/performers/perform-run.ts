/** Starts an agent's run, at most once for its key, and sees it to its end. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type environmentOf, helpOf, missingAgent, startHint } from '../../agents/command.ts';
import { budgetFlags } from '../../agents/flags.ts';
import { profileFor } from '../../agents/index.ts';
import { type RunOutput, readRunOutput } from '../../agents/run-output-reader.ts';
import { type AgentChoice, type Handle, runName } from '../../core/action.ts';
import { defined } from '../../core/defined.ts';
import { type AgentEvent, sumOf } from '../../core/events.ts';
import type { Ran, Result } from '../../core/record.ts';
import { ifThere, readPlain, whyNoFolder } from '../../process/files.ts';
import { LaunchError } from '../../process/launch.ts';
import type { findProgram } from '../../process/which.ts';
import { transcriptOf } from '../../runners/runner.ts';
import { hasNothingToCommit } from '../../scm/publish.ts';
import { replaceFile } from '../../state/projection.ts';
import { claimRun, outputFile, refuseFull, runsFolder } from '../../state/run-files.ts';
import { lineSplitter } from '../../stream/lines.ts';
import { NO_ASIDES, openAsides, wrapUpOf } from './asides.ts';
import { INTERRUPTED, keyEnvironment, type LocalPerformers, markOf, type Of, type PerformAt } from './perform.ts';
import { pricedRun } from './priced-run.ts';
import { limitRun } from './run-limits.ts';

/** Lookups that every start needs; each remembers its last answer. */
export interface StartFinders {
  readonly find: typeof findProgram;
  readonly environmentOf: typeof environmentOf;
}

/** The prompt of the latest run: a loop has one at a time. Earlier releases kept a file for each. */
const PROMPT_FILE = 'prompt';

/**
 * Starts the run, or finds it: a claim that exists is from a supervisor that died after starting it, or just before.
 */
export async function startRun(local: LocalPerformers, action: Of<'start'>, known: StartFinders): Promise<Result> {
  const { cwd, host, runner, loop, artifacts, promptsOnStdin = false, choosingHint } = local;
  const { run, agent } = action;
  const search = { path: host.env.PATH, cwd, choosingHint };
  const nowhere = whyNoFolder(cwd);
  if (nowhere !== null) return { kind: 'unstartable', ...nowhere };
  const program = known.find(agent.command, host.env.PATH, cwd);
  if (program === null) return { kind: 'unstartable', ...missingAgent(agent.command, search) };
  const missing = runner.missing?.(cwd) ?? null;
  if (missing !== null) return { kind: 'unstartable', ...missing };
  const key = runName(run);
  const mark = markOf(loop.id, key, 1);
  const { folder, name, isNew } = claimRun(loop.folder, key);
  const handleOf = (kept: unknown): Handle => ({ runner: runner.name, name, ...defined({ kept }) });
  const whose = defined({ fallback: action.fallback });
  if (!isNew) return { kind: 'started', handle: handleOf(artifacts?.keptOf(name)), ...whose };
  if (action.unlessClean !== undefined && (await hasNothingToCommit(action.unlessClean, { cwd, folder, mark }, host))) {
    return { kind: 'needless' };
  }

  const kept = (await artifacts?.open(run, name, action.prompt, agent.command)) ?? null;
  const handle = handleOf(kept?.kept);
  // No argument can contain a NUL, wherever it came from.
  const prompt = (kept?.prompt ?? action.prompt).replaceAll('\0', '\uFFFD');
  const adapter = profileFor(agent.command);
  // A program that an agent could have written is not run outside its sandbox, not even for its help text.
  const help = host.enclosure?.mayWrite(program) === true ? null : helpOf(adapter, program, host.env);
  const answerFile = join(folder, `${name}.answer`);
  const isEnclosed = host.enclosure !== undefined;
  const around = known.environmentOf(adapter, kept === null ? host.env : { ...host.env, ...kept.env });
  const canBeTold = action.wrapsUp === true && runner.isElsewhere !== true;
  const asides = canBeTold ? openAsides(adapter, agent.flags, { folder, name }) : NO_ASIDES;
  const dollars = budgetFlags(adapter, action.leftUsd, { flags: agent.flags, env: around });
  const flags = [...agent.flags, ...dollars, ...asides.flags];
  const call = { ...agent, flags, prompt, help, answerFile, wantsStdin: promptsOnStdin, isEnclosed };
  const { argv, promptOnStdin } = adapter.commandLine(call);
  const promptFile = kept?.promptFile ?? PROMPT_FILE;
  // An agent whose output is plain text may echo its prompt, which the reader must recognise, even after a crash.
  if (kept === null && (promptOnStdin || !adapter.parser(agent).hasStructure)) {
    replaceFile(join(folder, promptFile), prompt);
  }
  const env = { ...around, ...keyEnvironment(loop.id, key, 1) };
  const files = defined({
    stdin: promptOnStdin ? promptFile : undefined,
    writes: [...(argv.includes(answerFile) ? [answerFile] : []), ...asides.writes],
    transcript: kept?.transcript,
    onlyReads: agent.onlyReads,
  });
  try {
    const { pid } = await runner.start({ folder, name, mark, argv, cwd, env, ...files });
    await artifacts?.started(handle, pid, argv);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    await artifacts?.refused(handle, error.message);
    return { kind: 'unstartable', reason: error.message, hint: startHint(agent.command, search) };
  }
  return { kind: 'started', handle, ...whose };
}

/** The usage windows that the agent reported in its output or, failing that, those that it keeps on disk. */
function windowsAfter(
  { host, runner }: LocalPerformers,
  { command }: AgentChoice,
  { quota, session }: RunOutput,
): Pick<Ran, 'quota'> {
  if (quota !== null) return { quota };
  const { windows } = profileFor(command);
  if (windows === undefined || session === null || runner.isElsewhere === true) return {};
  try {
    const kept = windows(session, host);
    return kept.length === 0 ? {} : { quota: kept };
  } catch {
    // The file belongs to another program, and only these figures depend on it.
    return {};
  }
}

export async function awaitRun(local: LocalPerformers, action: Of<'await'>, at: PerformAt): Promise<Result> {
  const { run, agent, listen, limits, handle } = action;
  const { name } = handle;
  const folder = runsFolder(local.loop.folder);
  const kept = local.artifacts?.find(handle) ?? null;
  const mark = markOf(local.loop.id, runName(run), 1);
  const files = { folder, name, mark, ...(kept === null ? {} : { transcript: kept.transcript }) };
  const output = transcriptOf(files);
  const wrapUp = wrapUpOf(profileFor(agent.command), files);
  const limited = limitRun(files, limits, { ...at, wrapUp });
  const { parser, priced } = await pricedRun(local, action);
  const promptOf = (): string | null =>
    kept === null
      ? (readPlain(join(folder, `${name}.prompt`)) ?? readPlain(join(folder, PROMPT_FILE)))
      : readPlain(kept.promptFile);
  const prompt = parser.hasStructure ? '' : (promptOf() ?? '');
  const show = (event: AgentEvent): void => {
    at.progress(event);
    limited.heard(event);
  };
  const { used, finished } = limited;
  const viewer = { show, used, finished, watches: agent.mode === 'stream' };
  const reader = readRunOutput(parser, listen, prompt, viewer);
  const stderr = lineSplitter({ onLine: (line) => reader.pushStderr(line.toString('utf8')) });
  let bytes = 0;
  let refusals = 0;
  const exit = await local.runner.await(files, {
    onOutput: (chunk) => {
      bytes += chunk.length;
      if (parser.answersInFile !== true) reader.push(chunk);
    },
    onStderr: (chunk) => stderr.push(chunk),
    onRefusal: (text) => {
      refusals++;
      at.progress({ type: 'refusal', text });
    },
    ready: at.ready,
    signal: limited.signal,
  });
  limited.close();
  stderr.end();
  const isCancelled = at.signal.aborted;
  if (parser.answersInFile === true)
    reader.push(ifThere(() => readFileSync(join(folder, `${name}.answer`))) ?? Buffer.alloc(0));
  const heard = reader.end();
  const { said, account, words, toolCalls, complaint } = heard;
  const { outcome, endedBy, limited: by } = limited.judge(exit, heard);
  // If the output ends with the run's closing account, nothing of it was lost to a full disk.
  if (!isCancelled && (account === null || outcome.kind !== 'worked')) refuseFull(output.folder, output.stdout);
  await local.artifacts?.ended(handle, { exit, cutOff: isCancelled ? 'cancelled' : by, refusals, words });
  const isUntold = account === null || account.inputTokens === undefined;
  const usedSoFar = isUntold && heard.calls.length > 0 ? { used: sumOf(await priced(heard.calls, account)) } : {};
  if (isCancelled) return { ...INTERRUPTED, ...usedSoFar };
  return {
    kind: 'ran',
    outcome,
    said,
    transcript: { path: kept === null ? join('runs', outputFile(name)) : join(output.folder, output.stdout), bytes },
    agent: basename(agent.command),
    ...(account === null ? {} : { account }),
    ...usedSoFar,
    ...windowsAfter(local, agent, heard),
    ...(endedBy === null ? {} : { endedBy }),
    ...(toolCalls === null ? {} : { toolCalls }),
    ...(outcome.kind === 'failed' && complaint !== null ? { complaint } : {}),
    ...(refusals === 0 ? {} : { refusals }),
  };
}
