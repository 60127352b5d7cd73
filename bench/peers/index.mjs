/**
 * Other harnesses, measured in the same run where they are installed. One more is a file beside this one and a line here:
 * what it is called, why it is missing or null, what it needs in an empty repository, its command line for so many runs of
 * the agent, and the exit code that it ends with when it has come to that limit.
 */
import { openRalphWiggum } from '../loopbench/harnesses/open-ralph-wiggum.mjs';
import { snarktankRalph } from '../loopbench/harnesses/snarktank-ralph.mjs';
import { ofLoopBench } from './of-loopbench.mjs';
import { ralphStarter } from './ralph-starter.mjs';
import { ralphyCli } from './ralphy-cli.mjs';

/** They sleep one and two seconds between two agents. */
const FEW = { short: 1, long: 4 };

export const PEERS = [
  ralphyCli,
  ralphStarter,
  ofLoopBench(openRalphWiggum, { exitCode: 0, turns: FEW }),
  ofLoopBench(snarktankRalph, { exitCode: 1, turns: FEW }),
];
