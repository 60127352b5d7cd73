/** Keeps what a scripted model was asked, and what became of each request; if wanted, in a file as it happens. */
import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import type { Instant } from '../../core/time.ts';
import type { WireName, WireRequest } from '../api-emulators/api-emulator.ts';
import type { ScriptAnswer } from '../script/pick-turn.ts';
import type { Fault } from '../script/script.ts';
import type { Ended } from './connection.ts';

export interface RecordedRequest extends WireRequest {
  readonly at: Instant;
  /** Undefined for a path that no wire knows. */
  readonly wire: WireName | undefined;
  readonly answer: Answer;
  /** The fault that was played. */
  readonly fault: Fault | undefined;
  /** Undefined while it is being answered. */
  readonly ended: Ended | undefined;
}

export type Answer =
  | ScriptAnswer
  /** A request without tools, such as one for a title: a canned answer that leaves the script alone. */
  | { readonly kind: 'side' }
  /** Needed no turn: counted tokens, a refusal. */
  | { readonly kind: 'direct'; readonly status: number };

export interface RequestRecord {
  requests(): RecordedRequest[];
  /** Returns the request's number, from 1. */
  begin(request: Omit<RecordedRequest, 'ended'>): number;
  end(number: number, ended: Ended): void;
  close(): void;
}

/** In the file a request has two lines, `{"number", "at", "method", …}` and `{"number", "ended"}`. */
export function openRecord(path: string | undefined): RequestRecord {
  const requests: RecordedRequest[] = [];
  const file = path === undefined ? undefined : openForOwner(path);
  const append = (line: object): void => {
    // One unbuffered write: the line is there even if the process is killed right behind it.
    if (file !== undefined) writeSync(file, `${JSON.stringify(line)}\n`);
  };
  return {
    requests: () => [...requests],
    begin(request) {
      const number = requests.push({ ...request, ended: undefined });
      append({ number, ...request });
      return number;
    },
    end(number, ended) {
      const request = requests[number - 1];
      if (!request) return;
      requests[number - 1] = { ...request, ended };
      append({ number, ended });
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}

/** Requests hold the user's code and prompts; a file that was there before may have been open to others. */
function openForOwner(path: string): number {
  const file = openSync(path, 'a', 0o600);
  fchmodSync(file, 0o600);
  return file;
}
