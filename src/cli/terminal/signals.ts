/** What signals do to a loop in a terminal, and to commands that would run forever. */
import type { DriveOptions } from '../../engine/drive.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type StopSignals = Required<Pick<DriveOptions<never>, 'stop' | 'stopAtWait' | 'cancel'>>;
export type Signals = StopSignals & { release(): void };

/** The first signal lets the loop finish what it is doing; the second ends that now. */
export function handleSignals(say: (message: string) => void): Signals {
  const first = (signal: NodeJS.Signals): void => {
    say('Received signal, shutting down...');
    const again = signal === 'SIGINT' ? 'Ctrl-C again' : 'a second signal';
    say(`Stopping after this step; ${again} stops right now. Nothing is lost.`);
  };
  return answerSignals({ first, closed: () => say(CLOSED), second: () => say(ENDING) });
}

/** For loops that start their agent again anyway: the first signal already ends what is being done. */
export function handleEndingSignals(say: (message: string) => void): Signals {
  const first = (): void => say('Received signal, shutting down...');
  const signals = answerSignals({ first, closed: () => say(CLOSED), second: () => say(ENDING) });
  return { ...signals, cancel: AbortSignal.any([signals.stop, signals.cancel]) };
}

const CLOSED = 'The terminal was closed: the loop stops after this iteration.';
const ENDING = 'Stopping now; what still runs has up to 5 seconds to clean up.';

/**
 * The same for a loop kind that does more on a signal, or has its own words. A closed terminal (SIGHUP) lets the whole
 * iteration finish. SIGHUP can arrive twice, from the shell and from the kernel, so it is never the second signal.
 */
export function answerSignals(
  answers: Readonly<Record<'first' | 'closed' | 'second', (signal: NodeJS.Signals) => void>>,
): Signals {
  const [stop, stopAtWait, cancel] = [new AbortController(), new AbortController(), new AbortController()];
  const isAsked = (): boolean => stop.signal.aborted || stopAtWait.signal.aborted;
  const release = onSignals((signal) => {
    if (cancel.signal.aborted || (signal === 'SIGHUP' && isAsked())) return;
    if (signal === 'SIGHUP') {
      answers.closed(signal);
      stopAtWait.abort(reasonOf(signal));
      return;
    }
    const [answer, next] = isAsked() ? [answers.second, cancel] : [answers.first, stop];
    answer(signal);
    next.abort(reasonOf(signal));
  });
  return { stop: stop.signal, stopAtWait: stopAtWait.signal, cancel: cancel.signal, release };
}

/** An ordinary abort error that names the signal, which the loop's journal records. */
const reasonOf = (signal: NodeJS.Signals): DOMException => new DOMException(signal, 'AbortError');

/** For commands that are not loops: the first signal ends them. */
export function handleCancel(say: (message: string) => void): Pick<Signals, 'cancel' | 'release'> {
  const cancel = new AbortController();
  const release = onSignals(() => {
    if (!cancel.signal.aborted) say('Received signal, shutting down...');
    cancel.abort();
  });
  return { cancel: cancel.signal, release };
}

/** Returns the function that stops listening. */
function onSignals(handle: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, handle);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}
