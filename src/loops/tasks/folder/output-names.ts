/** What a run's output is called in its folder. Apart from what makes folders: `ralph ls` needs the names alone. */
export const STDOUT_NAME = 'agent-stdout.txt';
export const STDERR_NAME = 'agent-stderr.txt';
