/** The harnesses that LoopBench compares. One more is a file beside this one, with the same fields, and a line here. */
import { openRalphWiggum } from './open-ralph-wiggum.mjs';
import { ralph } from './ralph.mjs';
import { ralphProve } from './ralph-prove.mjs';
import { snarktankRalph } from './snarktank-ralph.mjs';
import { whileLoop } from './while-loop.mjs';

/** Those after the first three are left out where they are not installed. */
export const HARNESSES = [ralph, ralphProve, whileLoop, openRalphWiggum, snarktankRalph];
