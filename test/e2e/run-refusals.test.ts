/** What `ralph run` refuses at its start, and how it copes with agents that behave strangely. */
import { describe } from 'vitest';
import { awkwardAgents } from '../support/run/awkward-agents.ts';
import { runRefusals } from '../support/run/run-refusals.ts';

describe('refused at once, with exit 2 and a hint', () => {
  runRefusals();
});

describe('awkward agents', () => {
  awkwardAgents();
});
