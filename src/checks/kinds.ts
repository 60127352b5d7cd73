/** The kinds of checks that guardrails can ask for, one line each. */
export { command } from './command.ts';
export { tests } from './tests.ts';
