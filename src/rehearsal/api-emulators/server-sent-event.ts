/** One event of a stream, as it stands on the wire. */

export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** With its type as the event's name too, as two of the vendors do. */
export function typedEvent(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\n${dataEvent(data)}`;
}
