/** Shows what a running loop does: a status line on a terminal, a heartbeat in a log, NDJSON for programs. */
import type { LoopEvent } from '../../engine/drive.ts';
import type { TerminalOptions } from '../terminal.ts';
import type { LoopEnd } from './json-events.ts';
import { jsonEvents } from './json-events.ts';
import { liveStatus, type StatusWords } from './live-status.ts';
import type { StatusLine } from './status-line.ts';

/** `quiet`: verdicts, warnings, errors and the closing lines. `json`: the same, and the events on stdout. */
export type Verbosity = 'all' | 'quiet' | 'json';

export interface OutputFlags {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export function verbosityOf({ quiet = false, json = false }: OutputFlags): Verbosity {
  return json ? 'json' : quiet ? 'quiet' : 'all';
}

export interface LiveOutput {
  follow<Data>(words: StatusWords<Data>): (event: LoopEvent<Data>) => void;
  /** See StatusLine. */
  above: StatusLine['above'];
  close(end: LoopEnd): void;
}

const asItIs: LiveOutput['above'] = (_sink, text) => text;
const SILENT: LiveOutput = { follow: () => () => undefined, above: asItIs, close: () => undefined };

/** `say` prints the line of a heartbeat in the style of the loop kind. */
export function liveOutput(options: TerminalOptions, say: (line: string) => void): LiveOutput {
  const { verbosity, stderr, isDumb } = options;
  if (verbosity === 'json') return json(options);
  if (verbosity === 'quiet' || (stderr.isTTY && isDumb)) return SILENT;
  return stderr.isTTY ? onScreen(options) : heartbeat(options, say);
}

function json({ stdout, mask }: TerminalOptions): LiveOutput {
  const { lines, endLine } = jsonEvents(mask);
  return {
    follow: () => (event) => void stdout.write(lines(event)),
    above: asItIs,
    close: (end) => void stdout.write(endLine(end)),
  };
}

/** The code that draws is loaded when there is something to draw, because loading is most of the start time. */
function onScreen({ stderr, mask, stderrColor: color }: TerminalOptions): LiveOutput {
  let line: StatusLine | null = null;
  let isClosed = false;
  const open = async (view: ReturnType<typeof liveStatus>['view']): Promise<void> => {
    const [{ openStatusLine }, { statusLine }] = await Promise.all([
      import('./status-line.ts'),
      import('./status-text.ts'),
    ]);
    if (isClosed) return;
    line = openStatusLine({ stderr, color, text: (columns) => statusLine(view(), Date.now(), columns, mask) });
  };
  return {
    follow(words) {
      const status = liveStatus(words, Date.now());
      const soon = setTimeout(() => void open(status.view), FIRST_AFTER_MS);
      soon.unref();
      return (event) => {
        status.take(event, Date.now());
        line?.changed();
      };
    },
    above: (sink, text) => line?.above(sink, text) ?? text,
    close() {
      isClosed = true;
      line?.close();
    },
  };
}

const FIRST_AFTER_MS = 200;

/** Skips heartbeats while the reader is behind; it will read later ones. */
function heartbeat({ stderr, heartbeatMs }: TerminalOptions, say: (line: string) => void): LiveOutput {
  let timer: NodeJS.Timeout | null = null;
  return {
    follow(words) {
      const status = liveStatus(words, Date.now());
      const beat = async (): Promise<void> => {
        const { heartbeatLine } = await import('./status-text.ts');
        if (timer !== null && !stderr.writableNeedDrain) say(heartbeatLine(status.view(), Date.now()));
      };
      timer = setInterval(() => void beat(), heartbeatMs);
      timer.unref();
      return (event) => status.take(event, Date.now());
    },
    above: asItIs,
    close() {
      if (timer !== null) clearInterval(timer);
      timer = null;
    },
  };
}
