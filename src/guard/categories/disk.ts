/** Disks, partitions, boot: what no project needs. */
import { block, byProgram, type Category, type Concern, type Context, type Look } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { isWithin, resolvePath } from '../paths.ts';
import { writesOf } from '../writes.ts';

/** Block devices and memory; not `null`, `tty`, `fd`, `shm` … */
const DEVICE = /^\/dev\/(?:[hsv]d[a-z]|xvd[a-z]|nvme|mmcblk|r?disk\d|md\d|dm-|mapper\/|loop\d|sr\d|mem$|kmem$|port$)/;

export const disk: Category = {
  number: 2,
  name: 'disk, partition or boot',
  instead: 'Work on an image file inside the project.',
  look: byProgram(
    {
      'wipefs mkswap sgdisk gdisk cfdisk blkdiscard lvremove vgremove pvremove lvreduce': changes,
      'grub-install update-grub grub-mkconfig': changes,
      fdisk: looksBy(/^(?:-l|--list|-v|--version|-h|--help)$/),
      sfdisk: looksBy(/^(?:-l|-d|-J|--list|--dump|--json)$/),
      parted: looksBy(/^(?:-l|--list|print)$/),
      efibootmgr: looksBy(/^-v$/),
      hdparm: looksBy(/^-[iItTcCg]+$/),
      diskutil: looksBy(/^(?:list|info|apfs|activity)$/),
      zpool: looksBy(/^(?:list|status|iostat|get|history)$/),
      cryptsetup: looksBy(/^(?:status|isLuks|luksDump|luksUUID)$/),
      mdadm: looksBy(/^(?:--detail|-D|--examine|-E|--query|-Q)$/),
      newfs: formats,
    },
    (command, context) =>
      /^mk(?:e2)?fs(?:\.|$)/.test(command.name) ? formats(command) : writesToDevice(command, context),
  ),
};

/** Changes disks, unless it is asked for help. */
function changes({ name, words }: Command): Concern | null {
  return words.some((text) => /^(?:--help|-h|--version|-V)$/.test(text)) ? null : block(`${name} changes disks`);
}

/** Changes disks, unless it is called only to look, or without a word. */
function looksBy(word: RegExp): Look {
  return ({ name, words }) =>
    words.length === 0 || words.some((text) => word.test(text)) ? null : block(`${name} changes disks`);
}

function formats(command: Command): Concern | null {
  const target = readOptions(command.args, { letters: 'tLbUNI' }).operands.find(({ text }) => text.startsWith('/dev/'));
  return target === undefined ? null : block(`formats ${target.text}`);
}

function writesToDevice(command: Command, context: Context): Concern | null {
  for (const path of writesOf(command)) {
    const resolved = resolvePath(path, command.cwd, context.home);
    if (resolved === null) continue;
    if (DEVICE.test(resolved)) return block(`writes to the device ${resolved}`);
    if (isWithin(resolved, '/boot')) return block(`writes to ${resolved}`);
  }
  return null;
}
