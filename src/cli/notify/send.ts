/** `ralph notify send`: the sender, which loops start in the background. */
import { readEnvironment } from '../../config/environment.ts';
import { localStore } from '../../engine/store/local-store.ts';
import { runSender } from '../../notify/sender.ts';
import { noteInLog } from '../../notify/spool.ts';
import { machineOf } from '../../views/machines.ts';

export async function notifySend(): Promise<number> {
  const { root, variables: env, notifySecondMs: second } = readEnvironment();
  const store = localStore(root, machineOf);
  try {
    await runSender({ root, env, store, second, platform: process.platform });
    return 0;
  } catch (error) {
    // Its output goes nowhere, so the log gets the error.
    noteInLog(root, `the sender failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    throw error;
  }
}
