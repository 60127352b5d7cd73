/** The harnesses that LoopBench compares. One more is a file beside this one, with the same fields, and a line here. */
import { ralph } from './ralph.mjs';
import { ralphProve } from './ralph-prove.mjs';
import { whileLoop } from './while-loop.mjs';

export const HARNESSES = [ralph, ralphProve, whileLoop];
