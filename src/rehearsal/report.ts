/** What a person wants to know after a rehearsal, in a few lines. */

import { plural } from '../core/usage.ts';
import type { Fault, Match, Script } from './script/script.ts';
import type { RecordedRequest } from './server/server.ts';

export interface ReportInput {
  readonly script: Script;
  readonly requests: readonly RecordedRequest[];
  /** On the script, the network and the record. */
  readonly remarks: readonly string[];
}

/** A list that names more is not read. */
const MOST_NAMES = 3;
const LONGEST_MATCH = 60;

export function reportRehearsal({ script, requests, remarks }: ReportInput): string {
  const details = [
    ...severalWires(requests),
    ...answeredOtherwise(requests),
    ...exhaustion(script, requests),
    ...faultsPlayed(requests),
    ...refusals(requests),
  ];
  return [summary(script, requests), ...details.map((line) => `  ${line}`), ...remarks, ''].join('\n');
}

function summary(script: Script, requests: readonly RecordedRequest[]): string {
  if (requests.length === 0) return 'Rehearsal: the command asked no model';
  const played = requests.filter(({ answer }) => answer.kind === 'turn').length;
  const left = turnsLeft(script, requests).length;
  return `Rehearsal: ${plural(requests.length, 'request')}, ${plural(played, 'turn')} played, ${left} left`;
}

function severalWires(requests: readonly RecordedRequest[]): string[] {
  const wires = tally(requests.flatMap(({ wire }) => (wire === undefined ? [] : [wire])));
  return wires.size > 1 ? [list([...wires].map(([wire, times]) => `${times} by ${wire}`))] : [];
}

function answeredOtherwise(requests: readonly RecordedRequest[]): string[] {
  const otherwise = requests.filter(({ answer }) => answer.kind === 'otherwise').length;
  const aside = requests.filter(({ answer }) => answer.kind === 'side').length;
  return [
    ...(otherwise > 0 ? [`${plural(otherwise, 'request')} answered by "otherwise"`] : []),
    ...(aside > 0
      ? [`${plural(aside, 'request')} without tools, such as for a title, answered beside the script`]
      : []),
  ];
}

function exhaustion(script: Script, requests: readonly RecordedRequest[]): string[] {
  const unanswered = requests.filter(({ answer }) => answer.kind === 'exhausted').length;
  if (unanswered === 0) return [];
  const left = turnsLeft(script, requests);
  const waiting = left.slice(0, MOST_NAMES).map((index) => `turn ${index + 1}${waitsFor(script.turns[index]?.match)}`);
  const more = left.length > MOST_NAMES ? [`and ${left.length - MOST_NAMES} more`] : [];
  return [
    `The script was exhausted: ${plural(unanswered, 'request')} found no turn.`,
    ...(waiting.length > 0 ? [`Not played: ${list([...waiting, ...more])}`] : []),
  ];
}

function waitsFor(match: string | Match | undefined): string {
  if (match === undefined) return '';
  const wanted = typeof match === 'string' ? [match] : Object.values(match);
  return ` (waits for ${wanted.map((text: string) => JSON.stringify(shortened(text))).join(' and ')})`;
}

function shortened(text: string): string {
  return text.length > LONGEST_MATCH ? `${text.slice(0, LONGEST_MATCH)}…` : text;
}

function faultsPlayed(requests: readonly RecordedRequest[]): string[] {
  const faults = tally(requests.flatMap(({ fault }) => (fault === undefined ? [] : [nameOf(fault)])));
  return faults.size > 0 ? [`Faults played: ${list([...faults].map(([name, times]) => `${times} × ${name}`))}`] : [];
}

function nameOf(fault: Fault): string {
  if ('status' in fault) return `status ${fault.status}`;
  if ('stall' in fault) return `stall ${fault.stall}`;
  if ('cut' in fault) return `cut ${fault.cut}`;
  return 'malformed' in fault ? 'malformed' : 'big reply';
}

/** What no wire knows, or knew and would not take: most often an agent that cannot be rehearsed. */
function refusals(requests: readonly RecordedRequest[]): string[] {
  const refused = requests.flatMap(({ method, path, answer }) =>
    answer.kind === 'direct' && answer.status >= 400 ? [`${method} ${path.split('?')[0]} (${answer.status})`] : [],
  );
  const names = [...tally(refused).keys()];
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMES ? ['and others'] : [];
  return [`Refused: ${list([...names.slice(0, MOST_NAMES), ...more])}`];
}

/** The indices of the turns that could still be played. */
function turnsLeft(script: Script, requests: readonly RecordedRequest[]): number[] {
  const played = tally(requests.flatMap(({ answer }) => (answer.kind === 'turn' ? [answer.index] : [])));
  return script.turns.flatMap(({ times = 1 }, index) => ((played.get(index) ?? 0) < times ? [index] : []));
}

function tally<T>(things: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return counts;
}

function list(items: readonly string[]): string {
  return items.join(', ');
}
