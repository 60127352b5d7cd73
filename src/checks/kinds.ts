/** The kinds of checks that guardrails can use, one line each. */
export { command } from './command.ts';
export { tests } from './tests.ts';
