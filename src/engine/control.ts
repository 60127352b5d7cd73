/** What people tell a loop: a small file in the loop's own folder, which whoever turns the loop watches. */
import { join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { watchFolder } from '../process/folder-watch.ts';
import { makePrivateFolder } from '../state/folders.ts';
import { readPlainText } from '../state/plain-file.ts';
import { writeProjection } from '../state/projection.ts';

/** `run` stands for no order. */
export type Order = 'run' | 'pause' | 'stop';

export function giveOrder(loop: string, order: Order): void {
  makePrivateFolder(folderOf(loop));
  writeProjection(join(folderOf(loop), FILE), `${order}\n`);
}

export function readOrder(loop: string): Order {
  try {
    const order = readPlainText(join(folderOf(loop), FILE)).trim();
    return order === 'pause' || order === 'stop' ? order : 'run';
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 'run';
    throw error;
  }
}

/** Calls back whenever an order may have changed, until it is told to stop. */
export function watchOrders(loop: string, changed: () => void): () => void {
  makePrivateFolder(folderOf(loop));
  const watch = watchFolder(folderOf(loop));
  const stop = watch.on(FILE, changed);
  return () => {
    stop();
    watch.close();
  };
}

const FILE = 'order';

function folderOf(loop: string): string {
  return join(loop, 'orders');
}
