/**
 * A flag for V8: optimize code after fifteen times as many runs as by default. For code that runs some hundred times,
 * optimizing it, in threads of its own, takes longer than it ever saves.
 */
export const RUNS_BEFORE_OPTIMIZING = '--interrupt-budget=1000000';
