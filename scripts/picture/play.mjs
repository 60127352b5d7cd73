/** The program in the recorded terminal: the first act of the demo. */
import { rmSync } from 'node:fs';
import { falseDone } from '../demo/acts.mjs';
import { openStage } from '../demo/stage.mjs';

const stage = openStage();
await falseDone(stage);
rmSync(stage.folder, { recursive: true });
