/**
 * Other harnesses, measured in the same run if they are installed. To add one, put a file beside this one and a line
 * here: its name, why it is missing or null, what it needs in an empty repository, its command line for so many runs of
 * the agent, and its exit code when it has reached that limit.
 */
import { openRalphWiggum } from '../loopbench/harnesses/open-ralph-wiggum.mjs';
import { snarktankRalph } from '../loopbench/harnesses/snarktank-ralph.mjs';
import { ofLoopBench } from './of-loopbench.mjs';
import { ralphStarter } from './ralph-starter.mjs';
import { ralphyCli } from './ralphy-cli.mjs';

/** These sleep one and two seconds between two agents. */
const FEW = { short: 1, long: 4 };

export const PEERS = [
  ralphyCli,
  ralphStarter,
  ofLoopBench(openRalphWiggum, { exitCode: 0, turns: FEW }),
  ofLoopBench(snarktankRalph, { exitCode: 1, turns: FEW }),
];
