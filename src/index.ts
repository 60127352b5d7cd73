/** The library: the same loops as the command line, as events and a result. */
export { type Ending, EXIT_CODES } from './core/ending.ts';
export { RalphError } from './core/error.ts';
export type { AgentEvent, AgentResult } from './core/events.ts';
export type { Exit, Outcome } from './core/outcome.ts';
export type { Recorded } from './core/record.ts';
export type { LoopState } from './core/state.ts';
export type { RunData } from './doors/run/rules.ts';
export type { LoopEvent } from './engine/events.ts';
export { type Loop, type ResumeOptions, type RunOptions, resume, run } from './library.ts';
