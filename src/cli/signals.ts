/** The first signal asks to finish what is being done; the second ends it now. */

export interface Signals {
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
  release(): void;
}

export function handleSignals(say: (message: string) => void): Signals {
  const stop = new AbortController();
  const cancel = new AbortController();
  const onSignal = (): void => {
    if (!stop.signal.aborted) {
      say('Received signal, shutting down...');
      say('The current operation is allowed to finish; a second signal ends it now.');
      stop.abort();
    } else cancel.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    stop: stop.signal,
    cancel: cancel.signal,
    release: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
