/** The names of a run's output files. A file of its own, because `ralph ls` needs nothing else of a task's folder. */
export const STDOUT_NAME = 'agent-stdout.txt';
export const STDERR_NAME = 'agent-stderr.txt';
