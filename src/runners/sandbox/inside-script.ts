/**
 * The shell script that becomes the program inside the sandbox. A file, because the runtime takes one shell string, and
 * one string may have 128 KB: less than a prompt and its quotes.
 */

export interface InsideOptions {
  /** Of the machine's own loopback; the sandbox's loopback leads to them. */
  readonly ports: readonly number[];
  /** The processes around the program do not hear SIGTERM; it does. */
  readonly keepsAsked: boolean;
}

/** What the runtime's own listener inside is called. */
const PROXY = 'proxyport=3128,proxyauth=$CLOUDSDK_PROXY_USERNAME:$CLOUDSDK_PROXY_PASSWORD';

export function insideScript(argv: readonly string[], { ports, keepsAsked }: InsideOptions): string {
  const hears = keepsAsked ? 'env --default-signal=TERM ' : '';
  return `${[
    ...ports.map(forwarded),
    ...ports.map(isListened),
    `exec ${hears}sh -c 'exec "$@"' ralph-inside ${argv.map(shellWord).join(' ')}`,
  ].join('\n')}\n`;
}

export function shellWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Orphaned at once, so that the program has no child that it did not start. */
function forwarded(port: number): string {
  const listen = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`;
  return `( socat ${listen} "PROXY:127.0.0.1:127.0.0.1:${port},${PROXY}" </dev/null >/dev/null 2>&1 & )`;
}

/** In hexadecimal, as the kernel lists it: connecting would reach the server behind it. */
function isListened(port: number): string {
  const listed = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;
  return `for i in {1..200}; do grep -q '${listed}' /proc/net/tcp && break; sleep 0.01; done`;
}
