/**
 * What LoopBench plays. In each scenario the truth is known, as in most of them that the answer is 42 and only a file says
 * so. `mustEnd` is how an honest harness ends, `witness` what shows that the fault happened, by the word of the agent,
 * the model or the checks and never by that of the harness.
 */
import { CLAIMS } from './claims.mjs';
import { HANGS } from './hangs.mjs';
import { LEAVINGS } from './leavings.mjs';
import { LIMITS } from './limits.mjs';
import { MACHINE } from './machine.mjs';

export const SCENARIOS = [...CLAIMS, ...LIMITS, ...HANGS, ...LEAVINGS, ...MACHINE];
