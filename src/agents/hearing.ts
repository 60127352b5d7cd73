/** Reads a run's output as it grows: events for the eyes, the tag and the closing account for the rules. */
import type { Listen } from '../core/action.ts';
import { listenForTag } from '../core/claims/tag.ts';
import { withoutEcho } from '../core/claims/without-echo.ts';
import type { AgentEvent, AgentResult } from '../core/events.ts';
import type { Said } from '../core/record.ts';
import { textSplitter } from '../stream/text-lines.ts';
import type { AgentParser } from './adapter.ts';

const LONGEST_RECORDED_TEXT = 2000;
const LESS_THAN = 0x3c;

export interface Hearing {
  push(chunk: Buffer): void;
  end(): Heard;
}

export interface Heard {
  readonly said: Said;
  /** The agent's closing account; null when it gave none. */
  readonly account: AgentResult | null;
  /** It spoke with structure, and its closing account is missing. */
  readonly brokeOff: boolean;
}

/** `show` is null where nobody looks. */
export function hear(
  parser: AgentParser,
  listen: Listen,
  prompt: string,
  show: ((event: AgentEvent) => void) | null,
): Hearing {
  const tag = listenForTag(listen.tag, listen.multiline);
  const echo = parser.hasStructure ? null : withoutEcho(prompt);
  let firstLine: string | null = null;
  let account: AgentResult | null = null;
  let hasSpoken = false;

  const hearText = (text: string): void => {
    firstLine ??=
      text
        .split('\n')
        .map((line) => line.trim())
        .find((line) => line !== '') ?? null;
    tag.hear(text);
    // The line end keeps two texts apart: a tag does not reach from one into the next.
    tag.hear('\n');
  };
  const take = (event: AgentEvent): void => {
    hasSpoken ||= event.type !== 'unknown';
    if (event.type === 'text') {
      for (const text of echo === null ? [event.text] : echo.push(event.text)) hearText(text);
    } else if (event.type === 'result') {
      const { type: _, ...rest } = event;
      // The record needs the figures; the words are in the transcript.
      account = { ...rest, text: rest.text.slice(0, LONGEST_RECORDED_TEXT) };
    }
    show?.(event);
  };
  /** Plain text that nobody looks at is decoded only where a tag or the prompt's echo may stand. */
  const isSilence = (lines: Buffer): boolean =>
    show === null &&
    firstLine !== null &&
    !lines.includes(LESS_THAN) &&
    !tag.isWaiting() &&
    echo?.mayConcern(lines) === false;
  const lines = textSplitter({
    skip: isSilence,
    onLine: (line) => {
      for (const event of parser.parse(line)) take(event);
    },
    onLongLine: (head) => take({ type: 'unknown', raw: head.toString('utf8', 0, 1000) }),
  });

  return {
    push: (chunk) => lines.push(chunk),
    end() {
      lines.end();
      for (const text of echo?.end() ?? []) hearText(text);
      return {
        said: { tag: tag.heard(), firstLine },
        account,
        brokeOff: parser.hasStructure && hasSpoken && account === null,
      };
    },
  };
}
