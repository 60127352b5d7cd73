import { agentFaults } from './bad-input.ts';
import { LOOP_KINDS } from './loop-kinds.ts';

agentFaults(LOOP_KINDS.runInTmux);
