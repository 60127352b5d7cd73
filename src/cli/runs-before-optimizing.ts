/**
 * A flag of V8: fifteen times as many as it waits for by itself. For code that runs some hundred times: to optimize it, in
 * threads of its own, takes more than it ever saves.
 */
export const RUNS_BEFORE_OPTIMIZING = '--interrupt-budget=1000000';
