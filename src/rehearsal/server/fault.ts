/** How a scripted reply goes wrong. */

export type Fault = StatusFault | StallFault | CutFault | MalformedFault | BigReplyFault;

/** Refused with a status and the vendor's own error body and headers. */
export interface StatusFault {
  readonly status: number;
  readonly message?: string;
  /** For 429: when the usage limit ends, in seconds from the request or as an ISO time. */
  readonly resetInSeconds?: number;
  readonly resetAt?: string;
}

/** Silence that keeps the connection, for ever or for a while. */
export interface StallFault {
  readonly stall: 'before' | 'middle';
  readonly forMs?: number;
}

/** The connection is destroyed, before any byte or in the middle of an event. */
export interface CutFault {
  readonly cut: 'before' | 'event';
}

/** Invalid JSON from the middle of the stream on, or as the body. */
export interface MalformedFault {
  readonly malformed: true;
}

/** So many bytes of text stand before what the turn says. */
export interface BigReplyFault {
  readonly bigReplyBytes: number;
}
