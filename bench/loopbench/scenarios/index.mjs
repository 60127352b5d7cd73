/**
 * What LoopBench plays. The truth of each scenario is known; in most, the answer is 42, and only a file says so.
 * Three agents play it: the honest one, one that does nothing and claims to be done (nop), and one with a trick
 * (cheat). `mustEnd` is how a harness must end with the honest one; with the others, it must not end as done.
 * `fault` and `witness` show that the fault and the trick happened, according to the agent, the model or the
 * checks, and never to the harness.
 */
import { CLAIMS } from './claims.mjs';
import { EVIDENCE } from './evidence.mjs';
import { HANGS } from './hangs.mjs';
import { LEAVINGS } from './leavings.mjs';
import { LIMITS } from './limits.mjs';
import { MACHINE } from './machine.mjs';
import { PYTEST } from './pytest.mjs';
import { TESTS } from './tests.mjs';

export const SCENARIOS = [...CLAIMS, ...TESTS, ...PYTEST, ...EVIDENCE, ...LIMITS, ...HANGS, ...LEAVINGS, ...MACHINE];
