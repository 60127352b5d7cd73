/** Summarises a rehearsal for people in a few lines. */

import { plural } from '../core/budget/usage.ts';
import { linesOf } from '../core/text/lines-of.ts';
import type { Fault, Script, Turn } from './script/script.ts';
import type { RecordedRequest } from './server/server.ts';

export interface ReportInput {
  readonly script: Script;
  readonly requests: readonly RecordedRequest[];
  readonly remarks: readonly string[];
}

/** People do not read longer lists. */
const MOST_NAMES = 3;
const LONGEST_MATCH = 60;

export function reportRehearsal({ script, requests, remarks }: ReportInput): string {
  const answeredBy = (kind: RecordedRequest['answer']['kind']): number =>
    requests.filter(({ answer }) => answer.kind === kind).length;
  const played = tally(requests.map(({ answer }) => (answer.kind === 'turn' ? answer.index : undefined)));
  const left = script.turns.flatMap(({ times = 1 }, index) => ((played.get(index) ?? 0) < times ? [index] : []));
  const waiting = left.slice(0, MOST_NAMES).map((index) => `turn ${index + 1}${waitsFor(script.turns[index]?.match)}`);
  if (left.length > MOST_NAMES) waiting.push(`and ${left.length - MOST_NAMES} more`);
  const [aside, otherwise, unanswered] = [answeredBy('side'), answeredBy('otherwise'), answeredBy('exhausted')];
  const apis = tally(requests.map(({ api }) => api));
  const faults = tally(requests.map(({ fault }) => fault && nameOf(fault)));
  const refused = refusals(requests);

  const details = linesOf(
    apis.size > 1 && [...apis].map(([api, times]) => `${times} by ${api}`).join(', '),
    otherwise > 0 && `${plural(otherwise, 'request')} answered by "otherwise"`,
    aside > 0 && `${plural(aside, 'request')} without tools, such as for a title, answered beside the script`,
    unanswered > 0 && `The script was exhausted: ${plural(unanswered, 'request')} found no turn.`,
    unanswered > 0 && waiting.length > 0 && `Not played: ${waiting.join(', ')}`,
    faults.size > 0 && `Faults played: ${[...faults].map(([name, times]) => `${times} × ${name}`).join(', ')}`,
    refused.length > 0 && `Refused: ${refused.join(', ')}`,
  );
  const summary =
    requests.length === 0
      ? 'the command asked no model'
      : `${plural(requests.length, 'request')}, ${plural(answeredBy('turn'), 'turn')} played, ${left.length} left`;
  return [`Rehearsal: ${summary}`, ...details.map((line) => `  ${line}`), ...remarks, ''].join('\n');
}

function waitsFor(match: Turn['match']): string {
  if (match === undefined) return '';
  const wanted: string[] = typeof match === 'string' ? [match] : Object.values(match);
  const shown = wanted.map((text) => (text.length > LONGEST_MATCH ? `${text.slice(0, LONGEST_MATCH)}…` : text));
  return ` (waits for ${shown.map((text) => JSON.stringify(text)).join(' and ')})`;
}

function nameOf(fault: Fault): string {
  if ('status' in fault) return `status ${fault.status}`;
  if ('stall' in fault) return `stall ${fault.stall}`;
  if ('cut' in fault) return `cut ${fault.cut}`;
  return 'malformed' in fault ? 'malformed' : 'big reply';
}

/** Requests that no emulator knows or accepts: usually an agent that cannot be rehearsed. */
function refusals(requests: readonly RecordedRequest[]): string[] {
  const refused = requests.flatMap(({ method, path, answer }) =>
    answer.kind === 'direct' && answer.status >= 400 ? [`${method} ${path.split('?')[0]} (${answer.status})`] : [],
  );
  const names = [...new Set(refused)];
  return names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), 'and others'] : names;
}

function tally<T>(things: readonly (T | undefined)[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const thing of things) if (thing !== undefined) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return counts;
}
