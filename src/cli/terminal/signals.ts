/** SIGHUP too: a closed terminal must not leave an agent at work unwatched. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type Signals = { readonly stop: AbortSignal; readonly cancel: AbortSignal; release(): void };

/** The first signal asks to finish what is being done; the second ends it now. */
export function handleSignals(say: (message: string) => void): Signals {
  const first = (): void => {
    say('Received signal, shutting down...');
    say('The current operation is allowed to finish; a second signal ends it now.');
  };
  return answerSignals(first, () => say('Ending the current operation now; it has up to 5 seconds to clean up.'));
}

/** The same for a loop kind that does more at a signal, or has words of its own. */
export function answerSignals(first: () => void, second: () => void): Signals {
  const stop = new AbortController();
  const cancel = new AbortController();
  const release = onSignals(() => {
    if (cancel.signal.aborted) return;
    const [answer, next] = stop.signal.aborted ? [second, cancel] : [first, stop];
    answer();
    next.abort();
  });
  return { stop: stop.signal, cancel: cancel.signal, release };
}

/** For loops that come back at once: already the first signal ends what is being done. */
export function handleCancel(say: (message: string) => void): Signals {
  const cancel = new AbortController();
  const release = onSignals(() => {
    if (!cancel.signal.aborted) say('Received signal, shutting down...');
    cancel.abort();
  });
  return { stop: cancel.signal, cancel: cancel.signal, release };
}

/** Gives the function that stops listening. */
function onSignals(handle: () => void): () => void {
  for (const signal of SIGNALS) process.on(signal, handle);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}
