/** Time as data: the core has no clock, callers pass the time in. */

/** Milliseconds since the epoch. */
export type Instant = number;

/** Milliseconds. */
export type Duration = number;
