/**
 * Reads the inputs of an iteration: prompt and settings. Settings are not read again every time, because an agent could
 * remove the guardrails that it is measured by.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isUnattended } from '../../agents/command.ts';
import { readOnlyFlags, unattendedFlags, withModel } from '../../agents/installed.ts';
import { CHECK_KINDS, labelOf } from '../../checks/index.ts';
import {
  effectiveSettings,
  isSameText,
  LOCAL_FILE,
  parseLayers,
  readText,
  readTexts,
  SETTINGS_FILE,
  type Settings,
  type SettingsTexts,
} from '../../config/settings.ts';
import { COMMAND } from '../../core/check.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import type { Result } from '../../core/record.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { digestOf } from '../../core/text/digest.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { reviewTerms } from '../../engine/reviewer.ts';
import { fileStamp, readPlainText } from '../../process/files.ts';
import { readOnce } from '../../process/read-once.ts';
import { isSameChecks, keepsChecks } from './checks-of-start.ts';
import type { Guardrail } from './guardrails.ts';
import { type RunRequest, runRequest } from './request.ts';
import type { RunInputs } from './state.ts';

/** The settings as the loop was started or resumed with them, and the files that they were parsed from. */
export interface TakenSettings {
  readonly settings: Settings;
  readonly texts: SettingsTexts;
}

/** Where settings are read from: the project, and the user's own file. */
export interface SettingsPlace {
  readonly cwd: string;
  readonly userFile: string | null;
}

/** Unchanged files are not parsed again. */
export function takeSettings(
  { cwd, userFile }: SettingsPlace,
  { chosen }: Pick<RunRequest, 'chosen'>,
  before: TakenSettings | null = null,
): TakenSettings {
  const texts = readTexts(cwd, userFile);
  if (before !== null && isSameText(texts, before.texts)) return before;
  return { settings: effectiveSettings(parseLayers(texts), CHECK_KINDS, chosen?.agent?.command), texts };
}

/** `atStart`: the settings that this process started the loop with; if absent, the first call reads them. */
export function inputsReader(given: RunRequest, place: SettingsPlace, atStart: TakenSettings | null = null) {
  const request = runRequest(given);
  let taken = atStart;
  let takenAt: number | null = null;
  let last: { settings: Settings; prompt: string; digest: string; inputs: RunInputs } | null = null;
  const changes = changesTeller(place);
  let told: string | undefined;
  /** Settings files whose changed checks are ignored: a loop with proofs keeps its checks, also with `liveSettings`. */
  const otherChecks = (before: TakenSettings | null, { settings, texts }: TakenSettings): string[] => {
    if (before === null || before.texts === texts || last === null || !keepsChecks(request)) return [];
    const isSame = isSameChecks(last.inputs, inputsFrom(settings, request, ''));
    return isSame ? [] : changedFiles(before.texts, texts);
  };
  /** If the agent deletes the prompt file, the loop continues with the text that it read last. */
  const promptNow = (): { readonly prompt: string; readonly unreadPrompt?: string } => {
    try {
      const prompt = readPrompt(request, place.cwd);
      told = undefined;
      return { prompt };
    } catch (error) {
      if (last === null || !(error instanceof RalphError)) throw error;
      const { prompt } = last;
      if (error.message === told) return { prompt };
      told = error.message;
      return { prompt, unreadPrompt: told };
    }
  };
  /** `standstills`: how often the loop was paused or without a supervisor, so that a person could edit the settings. */
  return (known: string | null, standstills = 0): Extract<Result, { kind: 'inputs' }> => {
    // A loop that keeps its checks reads nothing again: a person who resumes it may not see what an agent did.
    const isAfterPause = takenAt !== null && takenAt !== standstills && !keepsChecks(request);
    takenAt = standstills;
    const kept = request.liveSettings || isAfterPause ? null : taken;
    const before = taken;
    taken = kept ?? takeSettings(place, request, taken);
    const ignored = kept === null ? otherChecks(before, taken) : changes(kept.texts);
    const { settings } = taken;
    const { prompt, ...unread } = promptNow();
    if (last?.settings !== settings || last.prompt !== prompt) {
      const inputs = inputsFrom(settings, request, prompt);
      last = { settings, prompt, digest: digestOf(JSON.stringify(inputs)), inputs };
    }
    const { digest, inputs } = last;
    const changed = digest === known ? {} : { inputs };
    return { kind: 'inputs', digest, ...changed, ...unread, ...(ignored.length === 0 ? {} : { ignored }) };
  };
}

/** Returns the settings files that differ from those in use; each change is reported once. */
function changesTeller({ cwd, userFile }: SettingsPlace): (taken: SettingsTexts) => string[] {
  const seen = new Map<string, { readonly stamp: string | null; readonly text: string | null }>();
  return ({ user, base, local }) => {
    const changed = (file: string, taken: string | null): string[] => {
      const before = seen.get(file);
      const stamp = fileStamp(resolve(cwd, file));
      if (before?.stamp === stamp) return [];
      const text = textNow(cwd, file);
      seen.set(file, { stamp, text });
      return text === (before === undefined ? taken : before.text) || text === taken ? [] : [file];
    };
    const ofUser = userFile === null ? [] : changed(userFile, user?.layer ?? null);
    return [...ofUser, ...changed(SETTINGS_FILE, base), ...changed(LOCAL_FILE, local)];
  };
}

function changedFiles(before: SettingsTexts, now: SettingsTexts): string[] {
  const { user } = now;
  const files: readonly (readonly [string, boolean])[] = [
    [user?.file ?? '', before.user?.layer !== user?.layer],
    [SETTINGS_FILE, before.base !== now.base],
    [LOCAL_FILE, before.local !== now.local],
  ];
  return files.flatMap(([file, isChanged]) => (isChanged ? [file] : []));
}

/** Only for comparing: a file that cannot be read counts as changed, with the error message as its text. */
function textNow(cwd: string, file: string): string | null {
  try {
    return readText(cwd, file);
  } catch (error) {
    if (error instanceof RalphError) return error.message;
    throw error;
  }
}

/** The only place where the request overrides the settings. */
export function inputsFrom(settings: Settings, request: RunRequest, prompt: string): RunInputs {
  const { outputTruncateChars, includeIterationCountInPrompt, scm } = settings;
  const { chosen, model } = request;
  const { command, flags } = chosen?.agent ?? settings.agent;
  const agent = { command, flags: model === null ? flags : withModel(command, flags, model) };
  return {
    prompt,
    ...(request.asksForResponse ? { asksForResponse: true } : {}),
    maximumIterations: request.maximumIterations ?? settings.maximumIterations,
    completionResponse: request.completionResponse ?? settings.completionResponse,
    outputTruncateChars,
    includeIterationCountInPrompt,
    streamAgentOutput: request.streamAgentOutput ?? settings.streamAgentOutput,
    agent,
    ...pivotAgentOf(agent, request),
    ...reviewOf(agent, request),
    agentTimeoutMs: request.agentTimeoutMs ?? durationOf(settings.agent.timeout),
    guardrails: chosen?.checks ?? settings.guardrails.map(guardrailOf),
    scm: scm === undefined || scm.tasks.length === 0 ? null : scm,
    backoffUnitMs: settings.failureBackoffMs,
    display: { ...settings.display, color: settings.display.color ?? null },
  };
}

const isEnclosed = ({ sandbox }: RunRequest): boolean => sandbox !== null && sandbox.kind !== 'none';

function pivotAgentOf({ command, flags }: RunInputs['agent'], request: RunRequest) {
  const readOnly = request.onStuck === 'pivot' ? readOnlyFlags(command, flags, isEnclosed(request)) : null;
  return readOnly === null ? {} : { pivotAgent: { command, flags: readOnly } };
}

function reviewOf(own: RunInputs['agent'], request: RunRequest): Pick<RunInputs, 'review'> {
  if (request.review === undefined) return {};
  const place = { own, flagsOf: otherFlags(own, request), isEnclosed: isEnclosed(request) };
  return { review: reviewTerms(request.review, place) };
}

/** The flags for other agents: they work unattended if the loop's own agent does. */
export function otherFlags(own: RunInputs['agent'], { chosen }: RunRequest): (command: string) => readonly string[] {
  const asksNothing = chosen?.isUnattended === true || isUnattended(own);
  return (command) => (asksNothing ? unattendedFlags(command, []) : []);
}

/** Commands are recorded without `check`, as in older releases, which had no other kinds. */
export function guardrailOf(settings: Settings['guardrails'][number]): Guardrail {
  const { kind = COMMAND, failAction, hint, timeout, witness, ...given } = settings;
  const check = { kind, given };
  const asked = { command: labelOf(check), ...(kind === COMMAND ? {} : { check }) };
  const more = witness === true ? { isWitness: true as const } : {};
  return { ...asked, failAction, hint: hint ?? null, timeoutMs: durationOf(timeout), ...more };
}

const durationOf = (text: string | undefined): number | null => (text === undefined ? null : parseDuration(text));

/** These paths name a different file in each process, so the prompt cannot be read again by its path. */
const OF_THIS_PROCESS = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|thread-self|\d+)\/fd\/\d+)$/;

/** Reads a prompt that is not in a regular file once, now: a pipe is then empty, and a resume has another stdin. */
export async function withKeptPrompt(request: RunRequest, cwd: string, signal: AbortSignal): Promise<RunRequest> {
  const { promptFile } = request;
  if (promptFile === null) {
    refuseEmpty(request.prompt ?? '', 'the prompt');
    return request;
  }
  const path = resolve(cwd, promptFile);
  try {
    if (statSync(path).isFile() && !OF_THIS_PROCESS.test(path)) return request;
    const prompt = await readOnce(path, signal);
    refuseEmpty(prompt, `the prompt from ${promptFile}`);
    return { ...request, prompt, promptFile: null };
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(error, promptFile);
  }
}

export function readPrompt({ prompt, promptFile }: RunRequest, cwd: string): string {
  if (promptFile === null) return prompt ?? '';
  try {
    const text = readPlainText(resolve(cwd, promptFile));
    refuseEmpty(text, `prompt file ${promptFile}`);
    return text;
  } catch (error) {
    throw unreadable(error, promptFile);
  }
}

export function refuseEmpty(prompt: string, what: string): void {
  if (prompt.trim() !== '') return;
  throw new RalphError('PROMPT_EMPTY', `${what} is empty`, {
    hint: 'Say what the agent should do, for example: ralph run -p "Fix the failing tests"',
  });
}

function unreadable(error: unknown, promptFile: string): RalphError {
  if (error instanceof RalphError && error.code === 'PROMPT_EMPTY') return error;
  const isMissing = errnoOf(error) === 'ENOENT';
  const message = isMissing
    ? `prompt file not found: ${promptFile}`
    : `cannot access prompt file: ${promptFile}: ${reasonOf(error)}`;
  return new RalphError('PROMPT_FILE', message, { hint: 'Check the path given with --prompt-file.' });
}
