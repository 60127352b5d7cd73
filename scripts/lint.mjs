/** `npm run lint`: the checks of the static tier that need no build. */

import { ensureInstalled } from './setup.mjs';
import { runStaticChecks } from './static-checks.mjs';

ensureInstalled();
const { failures } = await runStaticChecks({ isBuilt: false });
process.exitCode = failures.length === 0 ? 0 : 1;
