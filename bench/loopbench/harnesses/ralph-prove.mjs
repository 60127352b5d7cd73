/** `ralph run --prove`: a claim counts only when the checks pass in a clean clone, with the tests of the loop's start. */
import { ralph, ralphWith } from './ralph.mjs';

export const ralphProve = ralphWith({
  name: `${ralph.name} --prove`,
  flags: ['--prove'],
  settings: ({ setup }) => (setup === null ? {} : { proof: { setup } }),
});
