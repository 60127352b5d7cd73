import { agentFaults, badInput } from './bad-input.ts';
import { LOOP_KINDS } from './loop-kinds.ts';

badInput(LOOP_KINDS.swarm);
agentFaults(LOOP_KINDS.swarm);
