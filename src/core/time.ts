/** Time as data: the core has no clock, it is told. */

/** Milliseconds since the epoch. */
export type Instant = number;

/** Milliseconds. */
export type Duration = number;
