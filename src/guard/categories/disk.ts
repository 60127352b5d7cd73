/** Disks, partitions, boot: what no project needs. */
import { block, type Category, type Concern, type Context } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { isWithin, resolvePath } from '../paths.ts';
import { writesOf } from '../writes.ts';

/** Block devices and memory; not `null`, `tty`, `fd`, `shm` … */
const DEVICE = /^\/dev\/(?:[hsv]d[a-z]|xvd[a-z]|nvme|mmcblk|r?disk\d|md\d|dm-|mapper\/|loop\d|sr\d|mem$|kmem$|port$)/;
const ALWAYS = [
  'wipefs',
  'mkswap',
  'sgdisk',
  'gdisk',
  'cfdisk',
  'blkdiscard',
  'grub-install',
  'update-grub',
  'grub-mkconfig',
  'lvremove',
  'vgremove',
  'pvremove',
  'lvreduce',
];
/** Read-only ways to call programs that change disks otherwise. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  fdisk: /^(?:-l|--list|-v|--version|-h|--help)$/,
  sfdisk: /^(?:-l|-d|-J|--list|--dump|--json)$/,
  parted: /^(?:-l|--list|print)$/,
  efibootmgr: /^-v$/,
  hdparm: /^-[iItTcCg]+$/,
  diskutil: /^(?:list|info|apfs|activity)$/,
  zpool: /^(?:list|status|iostat|get|history)$/,
  cryptsetup: /^(?:status|isLuks|luksDump|luksUUID)$/,
  mdadm: /^(?:--detail|-D|--examine|-E|--query|-Q)$/,
};

export const disk: Category = {
  number: 2,
  name: 'disk, partition or boot',
  instead: 'Work on an image file inside the project.',
  look(command, context) {
    const { name } = command;
    if (/^mk(?:e2)?fs(?:\.|$)/.test(name) || name === 'newfs') return formats(command);
    if (ALWAYS.includes(name)) return isHelp(command) ? null : block(`${name} changes disks`);
    const looks = LOOKS[name];
    if (Object.hasOwn(LOOKS, name) && looks !== undefined) {
      return command.args.length === 0 || command.args.some(({ text }) => looks.test(text))
        ? null
        : block(`${name} changes disks`);
    }
    return writesToDevice(command, context);
  },
};

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

function isHelp(command: Command): boolean {
  return command.args.some(({ text }) => ['--help', '-h', '--version', '-V'].includes(text));
}
