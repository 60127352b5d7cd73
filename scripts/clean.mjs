/** Removes what the build made. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

rmSync(join(root, 'dist'), { recursive: true, force: true });
