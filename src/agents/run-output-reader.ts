/** Reads a run's output as it grows (events for display; tag and final account for the rules), and judges the run. */
import type { Listen } from '../core/action.ts';
import type { QuotaWindow } from '../core/budget/quota.ts';
import { listenForTag } from '../core/claims/tag.ts';
import { withoutEcho } from '../core/claims/without-echo.ts';
import { type AgentEvent, type AgentResult, type CallUsage, FIGURES } from '../core/events.ts';
import type { Exit, Fault, Outcome } from '../core/outcome.ts';
import type { Said } from '../core/record.ts';
import { isFence } from '../core/text/fence.ts';
import { textSplitter } from '../stream/text-lines.ts';
import type { AgentParser } from './profile.ts';
import { shortened } from './reading/faults.ts';

const LONGEST_RECORDED_TEXT = 2000;
const LESS_THAN = 0x3c;
const WARNINGS: readonly AgentEvent['type'][] = ['stderr', 'notice', 'fault'];

export interface RunOutputReader {
  push(chunk: Buffer): void;
  pushStderr(line: string): void;
  end(): RunOutput;
}

export interface RunOutput {
  readonly said: Said;
  readonly account: AgentResult | null;
  /** The agent's last message in full: from its final account, or else its last text. Null for plain text. */
  readonly words: string | null;
  /** What each model call has used, as reported during the run. */
  readonly calls: readonly CallUsage[];
  /** How much of its usage windows is used, as last reported; null if this was not reported. */
  readonly quota: readonly QuotaWindow[] | null;
  /** The session's name; null if the agent does not report one. */
  readonly session: string | null;
  /** The output was structured, but the final account is missing. */
  readonly brokeOff: boolean;
  /** The first error on stderr, or else the last line there; null if stderr was empty. */
  readonly complaint: string | null;
  /** The last fault that it reported and did not recover from. */
  readonly fault: Fault | null;
  /** Null for output without structure. */
  readonly toolCalls: number | null;
}

export interface Viewer {
  show(event: AgentEvent): void;
  /** Whether the agent's words and tools are shown. Its warnings always are. */
  readonly watches: boolean;
  /** Called whenever a model call reports its use, with the total of all calls so far. */
  used?(usage: CallUsage): void;
  /** Called when the final account has arrived: the agent has nothing left to do. */
  finished?(): void;
}

export function readRunOutput(parser: AgentParser, listen: Listen, prompt: string, viewer: Viewer): RunOutputReader {
  const tag = listenForTag(listen.tag, listen.multiline, listen.skipsQuoted);
  const echo = parser.hasStructure ? null : withoutEcho(prompt);
  let firstLine: string | null = null;
  let account: AgentResult | null = null;
  let hasSpoken = false;
  let fault: Fault | null = null;
  let toolCalls = 0;
  let session: string | null = null;
  const words = { said: '', result: '' };
  const calls = callsOfRun();
  const windows = new Map<string, QuotaWindow>();
  /** For plain text, whose last lines hold the agent's last words. */
  const ending = lastWords();
  let lastLine: string | null = null;
  let firstError: string | null = null;

  const hearStderr = (line: string): void => {
    if (line.trim() === '') return;
    lastLine = line;
    if (/^\W*(?:\w+: )?error\b/i.test(line)) firstError ??= line;
  };
  const hearText = (text: string): void => {
    firstLine ??= firstLineOf(text);
    if (!parser.hasStructure) ending.push(text);
    tag.hear(text);
    // The line end separates two texts: a tag does not span both.
    tag.hear('\n');
  };
  const take = (event: AgentEvent): void => {
    hasSpoken ||= event.type !== 'unknown' && event.type !== 'stderr';
    if (event.type === 'tool-start') toolCalls++;
    if (event.type === 'progress') session = event.session ?? session;
    if (event.type === 'usage') {
      const { type: _type, id, ...usage } = event;
      calls.told(id, usage);
      viewer.used?.(calls.used());
    }
    if (event.type === 'quota') for (const window of event.windows) windows.set(window.name, window);
    // Stdout and stderr arrive in no fixed order: a retry reported on one must not hide a refusal on the other.
    if (event.type === 'fault') fault = fault !== null && gravity(fault) > gravity(event.fault) ? fault : event.fault;
    // An agent that speaks or works again has recovered from the fault.
    else if (event.type === 'text' || event.type === 'tool-start') fault = null;
    if (event.type === 'text') {
      words.said = event.text;
      for (const text of echo === null ? [event.text] : echo.push(event.text)) hearText(text);
    } else if (event.type === 'result') {
      const { type: _, ...rest } = event;
      words.result = rest.text;
      // The record needs the figures; the full text is in the transcript.
      account = { ...rest, text: rest.text.slice(0, LONGEST_RECORDED_TEXT) };
      viewer.finished?.();
    }
    if (viewer.watches || WARNINGS.includes(event.type)) viewer.show(event);
  };
  /** True for plain text that need not be decoded: it is not shown, and cannot hold a tag or the prompt's echo. */
  const isSilence = (lines: Buffer): boolean => {
    const isSilent =
      !viewer.watches &&
      firstLine !== null &&
      !lines.includes(LESS_THAN) &&
      !tag.isWaiting() &&
      echo?.mayConcern(lines) === false;
    if (isSilent && !parser.hasStructure) ending.push(lines.toString('utf8', Math.max(0, lines.length - LAST_WORDS)));
    return isSilent;
  };
  const lines = textSplitter({
    skip: isSilence,
    onLine: (line) => {
      for (const event of parser.parse(line)) take(event);
    },
    onLongLine: (head) => take({ type: 'unknown', raw: head.toString('utf8', 0, 1000) }),
  });

  return {
    push: (chunk) => lines.push(chunk),
    pushStderr(line) {
      hearStderr(line);
      for (const event of parser.parseStderr?.(line) ?? [{ type: 'stderr', text: line } as const]) take(event);
    },
    end() {
      lines.end();
      for (const event of parser.end?.() ?? []) take(event);
      for (const text of echo?.end() ?? []) hearText(text);
      const complaint = firstError ?? lastLine;
      return {
        // A structured account holds the agent's last words; what it said earlier is not its answer.
        said: {
          tag: tag.heard(),
          firstLine: firstLineOf(account?.text ?? '') ?? firstLine,
          ...ending.unlessFirst(firstLine),
        },
        account,
        words: parser.hasStructure ? words.result.trim() || words.said.trim() || null : null,
        quota: windows.size === 0 ? null : [...windows.values()],
        calls: calls.all(),
        session,
        complaint: complaint === null ? null : shortened(complaint),
        brokeOff: parser.hasStructure && hasSpoken && account === null,
        fault,
        toolCalls: parser.hasStructure ? toolCalls : null,
      };
    },
  };
}

/** Long runs make thousands of calls: the total is updated with each call instead of summed up every time. */
function callsOfRun() {
  const calls = new Map<string, CallUsage>();
  const totals: Partial<Record<(typeof FIGURES)[number], number>> = {};
  let isEstimated = false;
  return {
    /** A call reports several times what it has used so far. */
    told(id: string, usage: CallUsage): void {
      const earlier = calls.get(id);
      calls.set(id, usage);
      isEstimated ||= usage.costSource === 'estimated';
      for (const figure of FIGURES) {
        const now = usage[figure];
        if (now !== undefined) totals[figure] = (totals[figure] ?? 0) + now - (earlier?.[figure] ?? 0);
      }
    },
    used: (): CallUsage => ({ ...totals, ...(isEstimated ? { costSource: 'estimated' } : {}) }),
    all: (): CallUsage[] => [...calls.values()],
  };
}

const LAST_WORDS = 600;

/** Keeps the end of the output, in bounded memory. */
function lastWords() {
  let text = '';
  return {
    push(more: string): void {
      text = `${text}${more}\n`.slice(-LAST_WORDS);
    },
    unlessFirst(firstLine: string | null): { readonly last?: string } {
      const last = text.trim();
      return last === '' || last === firstLine ? {} : { last };
    },
  };
}

function gravity(fault: Fault): number {
  if (fault.kind === 'infrastructure') return 0;
  return fault.kind === 'limit' && fault.resetAt === null ? 1 : 2;
}

function firstLineOf(text: string): string | null {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.find((line) => line !== '' && !isFence(line)) ?? null;
}

/**
 * A run with a non-zero exit code has not worked, and neither has one whose structured output was cut off before its
 * final account. A fault that the agent reported explains a failure; it does not turn a success into one.
 */
export function judgeRun(
  exit: Exit,
  { account, brokeOff, fault }: Pick<RunOutput, 'account' | 'brokeOff' | 'fault'>,
): Outcome {
  if (exit.by === 'unseen' && account === null) {
    return { kind: 'interrupted', reason: exit.wasRunning === true ? WAS_ENDED : ENDED_ALONE };
  }
  const succeeded = exit.by === 'unseen' || (exit.by === 'code' && exit.code === 0);
  if (succeeded && account?.isError !== true && !brokeOff) return { kind: 'worked' };
  if (fault !== null) return fault;
  if (account?.isError === true) return { kind: 'failed', exit, reason: account.reason ?? REPORTED };
  return succeeded ? { kind: 'failed', exit, reason: BROKE_OFF } : { kind: 'failed', exit };
}

const WAS_ENDED = 'it was still running and was ended; it starts again';
const ENDED_ALONE = 'it ended while no supervisor was running, without a final result';
const REPORTED = 'it reported an error';
const BROKE_OFF = 'its output broke off before its final result';
