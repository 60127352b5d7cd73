/** Parses Amp's output: Claude Code's stream with figures in each message; errors at the start come as plain text. */
import type { AgentEvent } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import { streamJsonParser } from '../claude/stream.ts';
import { plainParser } from '../plain/profile.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfErrorText, shortened } from '../reading/faults.ts';
import { type Events, faultEvents } from '../reading/stream-events.ts';

export function ampParser(now: () => Instant = Date.now): AgentParser {
  const { parse } = streamJsonParser({ usageInMessages: true, countsCacheApart: false });
  return {
    hasStructure: true,
    parse: untilLogin((line) =>
      parse(line).flatMap((event) => {
        const isFailure = event.type === 'result' && event.isError;
        return [...faultEvents(isFailure ? faultIn(event.reason ?? '', now()) : null), event];
      }),
    ),
    parseStderr: (line) => stderrEvents(line, now()),
  };
}

export function ampTextParser(now: () => Instant = Date.now): AgentParser {
  const { parse } = plainParser();
  return { hasStructure: false, parse: untilLogin(parse), parseStderr: (line) => stderrEvents(line, now()) };
}

/** Without a key, Amp says so first, then opens a browser and waits forever for a login. */
function untilLogin(parse: AgentParser['parse']): AgentParser['parse'] {
  let said: 'nothing' | 'login' | 'words' = 'nothing';
  return (raw) => {
    const isLogin = said === 'nothing' && raw.startsWith('No API key found. Starting login flow');
    if (isLogin) said = 'login';
    else if (said === 'nothing' && raw.trim() !== '') said = 'words';
    if (said !== 'login') return parse(raw);
    return [{ type: 'unknown', raw }, ...(isLogin ? [NO_LOGIN] : [])];
  };
}

const NO_LOGIN: AgentEvent = {
  type: 'fault',
  fault: { kind: 'auth', reason: 'it is not logged in: run `amp login`, or set AMP_API_KEY' },
  isHopeless: true,
};

function stderrEvents(line: string, now: Instant): Events {
  const fault = line.startsWith('Error: ') ? faultIn(line.slice('Error: '.length), now) : null;
  return [{ type: 'stderr', text: line }, ...faultEvents(fault)];
}

function faultIn(words: string, now: Instant): Fault | null {
  const reason = shortened(words);
  if (/\bAPI key\b|\baccess token\b|\bamp login\b/i.test(words)) return { kind: 'auth', reason };
  if (/\bout of credits\b/i.test(words)) return { kind: 'limit', reason, resetAt: null };
  if (/\bAmp server returned an error\b/.test(words)) return { kind: 'infrastructure', reason };
  const status = /\bfailed: (\d{3})$/.exec(words)?.[1];
  return faultOfErrorText(status === undefined ? words : `${status} ${words}`, now);
}
