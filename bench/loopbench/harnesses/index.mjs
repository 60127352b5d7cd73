/** The harnesses that LoopBench compares. To add one, put a file with the same fields beside this, and a line here. */
import { openRalphWiggum } from './open-ralph-wiggum.mjs';
import { ralph } from './ralph.mjs';
import { ralphProve } from './ralph-prove.mjs';
import { snarktankRalph } from './snarktank-ralph.mjs';
import { whileLoop } from './while-loop.mjs';

/** Those after the first three are left out if they are not installed. */
export const HARNESSES = [ralph, ralphProve, whileLoop, openRalphWiggum, snarktankRalph];
