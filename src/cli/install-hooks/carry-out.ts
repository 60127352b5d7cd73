/** Writes what was planned and agreed to. */
import { RalphError } from '../../core/error.ts';
import type { Plan } from './plan.ts';
import { dropReceipt, keepReceipt, type Receipt, type ReceiptPlace } from './receipt.ts';
import { missingFolders, readIfThere, removeEmptyFolder, removeFile, replaceFile } from './safe-file.ts';

/** The receipt comes first: whatever happens then, it can be taken back. */
export function carryOutInstall(plan: Plan, place: ReceiptPlace, earlier: Receipt | null): void {
  refuseIfChanged(plan);
  const made = plan.changes.flatMap(({ path }) => missingFolders(path));
  const folders = [...new Set([...made, ...(earlier?.folders ?? [])])].sort((a, b) => b.length - a.length);
  keepReceipt(place, { version: 1, files: plan.written, folders });
  write(plan);
}

export function carryOutRemoval(plan: Plan, place: ReceiptPlace, earlier: Receipt | null): void {
  refuseIfChanged(plan);
  write(plan);
  for (const folder of earlier?.folders ?? []) removeEmptyFolder(folder);
  dropReceipt(place);
}

function write({ changes }: Plan): void {
  for (const { path, after } of changes) {
    if (after === null) removeFile(path);
    else replaceFile(path, after);
  }
}

/** Between the plan and the answer somebody may have saved a file. */
function refuseIfChanged({ changes }: Plan): void {
  const changed = changes.find(({ path, before }) => readIfThere(path) !== before);
  if (changed === undefined) return;
  throw new RalphError('CHANGED_MEANWHILE', `${changed.path} was changed in the meantime; nothing was written`, {
    hint: 'Call this again.',
    exitCode: 2,
  });
}
