/** Files, folders, disks and disk space that the agent must not delete, fill or write to. */
import type { Category, Concern, Context } from '../category.ts';
import { block, byProgram, first, looksBy, warn, worst } from '../category.ts';
import { type Arg, type Command, hasWord, readOptions, textsOf, UNKNOWN, UNSEEN_LIST } from '../command.ts';
import { isEverythingIn, isWithin, resolvePath, writesSensitively, zoneOf } from '../paths.ts';
import { eachListed, isFound } from '../run/each-file.ts';
import { ENDLESS_FORK, FORK_BOMB } from '../run/parse.ts';
import { unpacksInto, writesOf } from '../run/programs.ts';

const COPY = 'Copy it (cp) and leave the original where it is.';
const OWN_CONTAINERS = 'Remove this project’s own containers and volumes by name.';
const EMPTY_FOLDER = 'Unpack it into an empty folder of the project and look at it there.';
const PRINT_FIRST = 'Print the list first, then delete by name.';

const destructiveFiles: Category = {
  number: 1,
  name: 'destructive file system',
  instead: 'Delete files and folders by name, inside the project or in /tmp.',
  look: byProgram(
    {
      'rm unlink rmdir trash srm': (command, context) =>
        deletes(command, context, readOptions(command.args).has('r', 'R', 'recursive', 'd')),
      'rimraf del-cli': (command, context) => deletes(command, context, true),
      'shred truncate': (command, context) => {
        const options = readOptions(command.args, '-snr size iterations reference');
        return worst(options.operands.map(({ text }) => outsider(text, command, context, 'empties')));
      },
      mv: moves,
      'chmod chown chgrp': locksAway,
      rsync: (command, context) => {
        const options = readOptions(command.args, '-efTB rsh exclude include filter');
        const paths = textsOf(options.operands);
        if (options.has('remove-source-files'))
          return worst(paths.slice(0, -1).map((path) => outsider(path, command, context, 'moves away')));
        if (!options.has('delete') && !hasWord(command.words, /^--delete/)) return null;
        return outsider(paths.at(-1) ?? '', command, context, 'deletes, by mirroring, in');
      },
      'docker podman': (command) => {
        const [first = '', second = ''] = command.words.filter((text) => !text.startsWith('-'));
        if (second !== 'prune' && (first !== 'volume' || second !== 'rm')) return null;
        return warn(`removes more than this project's containers (${first} ${second})`, OWN_CONTAINERS);
      },
    },
    (command, context) => {
      const options = readOptions(command.args);
      // `$UNKNOWN -rf /`: the program's name is unknown, but its arguments are those of rm.
      const isDeletion = command.name.includes(UNKNOWN) && options.has('r', 'R') && options.has('f');
      return isDeletion ? deletes(command, context, true) : null;
    },
  ),
};

function deletes(command: Command, context: Context, isRecursive: boolean): Concern | null {
  const options = readOptions(command.args);
  if (options.has('no-preserve-root')) return block('turns off the protection of /');
  return worst(
    options.operands.flatMap((target) =>
      // Files from `find` can be at any depth.
      eachListed(target).map((each) => deletesOne(each, command, context, isRecursive || isFound(target))),
    ),
  );
}

function deletesOne({ text }: Arg, command: Command, context: Context, isRecursive: boolean): Concern | null {
  const shown = text.replaceAll(UNKNOWN, '…');
  const isAll = isEverythingIn(text);
  if (text === UNSEEN_LIST && isRecursive)
    return block('deletes recursively from a list that cannot be checked', PRINT_FIRST);
  switch (zoneOf(text, command.cwd, context)) {
    case 'root':
      return isRecursive || isAll ? block(`deletes ${shown}, which holds your home folder or the project`) : null;
    case 'project-root':
      if (isRecursive) return block(`deletes the whole project (${shown})`);
      return isAll ? warn(`deletes every file in the project's folder (${shown})`) : null;
    case 'project-git':
      if (isRecursive) return block(`deletes the project's git history (${shown})`);
      return warn(`deletes files in .git (${shown})`);
    case 'system':
      return block(`deletes ${shown}, which belongs to the system`);
    case 'outside':
      if (isRecursive) return block(`deletes ${shown} recursively, outside of the project`);
      return warn(`deletes ${shown}, outside of the project`);
    case 'cache-root':
      return isRecursive || isAll ? warn(`deletes the caches of all programs (${shown})`) : null;
    case 'temporary-root':
      if (isAll) return warn(`deletes the temporary files of all programs (${shown})`);
      return isRecursive ? block(`deletes the folder of temporary files (${shown})`) : null;
    case 'unknown':
      if (!isRecursive || !/^\0\/+\*?$/.test(text)) return null;
      return warn(`deletes everything in a folder whose name may turn out empty (${shown})`);
    case 'project':
    case 'temporary':
    case 'cache':
      return null;
  }
}

function moves(command: Command, context: Context): Concern | null {
  const options = readOptions(command.args, '-tS target-directory suffix');
  const [into] = options.values('t', 'target-directory');
  const target = into ?? options.operands.at(-1);
  const sources = into === undefined ? options.operands.slice(0, -1) : options.operands;
  if (target?.text === '/dev/null') return block('moves files to /dev/null');
  return worst(
    sources.map(({ text }) => {
      const zone = zoneOf(text, command.cwd, context);
      if (zone === 'root' || zone === 'system') return block(`moves ${text} away`);
      if (zone === 'project-git') return block(`moves the project's git history away`);
      if (zone === 'outside') return movesOthers(text, target?.text ?? '', command, context);
      return zone === 'project-root' && !isEverythingIn(text) ? block('moves the whole project away') : null;
    }),
  );
}

/** Files of other projects or people. Blocks moving a top folder of the home folder, or anything to a temporary one. */
function movesOthers(text: string, target: string, command: Command, context: Context): Concern {
  const path = resolvePath(text, command.cwd, context.home) ?? text;
  const isTopFolder = path.slice(0, path.lastIndexOf('/')) === context.home;
  const isLost = zoneOf(target, command.cwd, context).startsWith('temporary');
  if (isTopFolder || isLost) return block(`moves ${text}, which is not part of the project, to ${target}`, COPY);
  return warn(`moves ${text}, which is not part of the project`, COPY);
}

function locksAway(command: Command, context: Context): Concern | null {
  const options = readOptions(command.args, 'reference from');
  const isMode = command.name === 'chmod';
  if (isMode && /^-[rwxst]+$/.test(command.words[0] ?? '')) return null;
  const isRecursive = options.has('R', 'recursive');
  const [mode, ...targets] = options.operands;
  const opensAll = isMode && /^[0-7]?777$|^(?:a|o|ugo)?\+[rwx]*w/.test(mode?.text ?? '');
  return worst(
    targets.map(({ text }) => {
      const zone = zoneOf(text, command.cwd, context);
      if (zone === 'system' || (zone === 'root' && isRecursive)) return block(`changes who may use ${text}`);
      if (zone === 'root') return null;
      if (zone === 'outside' && isRecursive)
        return block(`changes who may use everything in ${text}, outside of the project`);
      return opensAll && zone !== 'temporary' && zone !== 'unknown' ? warn(`lets everyone write to ${text}`) : null;
    }),
  );
}

function outsider(text: string, command: Command, context: Context, verb: string): Concern | null {
  const zone = zoneOf(text, command.cwd, context);
  const isOut = ['root', 'system', 'outside', 'project-git'].includes(zone) && !text.startsWith('/dev/');
  return isOut && !/^[\w.@-]+:/.test(text) ? block(`${verb} ${text}`) : null;
}

/** Block devices and memory; not `null`, `tty`, `fd`, `shm` … */
const DEVICE = /^\/dev\/(?:[hsv]d[a-z]|xvd[a-z]|nvme|mmcblk|r?disk\d|md\d|dm-|mapper\/|loop\d|sr\d|mem$|kmem$|port$)/;
const HELP = /^(?:--help|-h|--version|-V)$/;

const disk: Category = {
  number: 2,
  name: 'disk, partition or boot',
  instead: 'Work on an image file inside the project.',
  look: byProgram(
    {
      'wipefs mkswap sgdisk gdisk cfdisk blkdiscard lvremove vgremove pvremove lvreduce': looksBy('disks', HELP, false),
      'grub-install update-grub grub-mkconfig': looksBy('disks', HELP, false),
      fdisk: looksBy('disks', /^(?:-l|--list|-v|--version|-h|--help)$/),
      sfdisk: looksBy('disks', /^(?:-l|-d|-J|--list|--dump|--json)$/),
      parted: looksBy('disks', /^(?:-l|--list|print)$/),
      efibootmgr: looksBy('disks', /^-v$/),
      hdparm: looksBy('disks', /^-[iItTcCg]+$/),
      diskutil: looksBy('disks', /^(?:list|info|apfs|activity)$/),
      zpool: looksBy('disks', /^(?:list|status|iostat|get|history)$/),
      cryptsetup: looksBy('disks', /^(?:status|isLuks|luksDump|luksUUID)$/),
      mdadm: looksBy('disks', /^(?:--detail|-D|--examine|-E|--query|-Q)$/),
      newfs: formats,
    },
    (command, context) =>
      /^mk(?:e2)?fs(?:\.|$)/.test(command.name) ? formats(command) : writesToDevice(command, context),
  ),
};

function formats(command: Command): Concern | null {
  const target = readOptions(command.args, '-tLbUNI').operands.find(({ text }) => text.startsWith('/dev/'));
  return target === undefined ? null : block(`formats ${target.text}`);
}

function writesToDevice(command: Command, context: Context): Concern | null {
  const paths = writesOf(command).map((path) => resolvePath(path, command.cwd, context.home) ?? '');
  const found = paths.find((path) => DEVICE.test(path) || isWithin(path, '/boot'));
  if (found === undefined) return null;
  return block(DEVICE.test(found) ? `writes to the device ${found}` : `writes to ${found}`);
}

export const sensitivePaths: Category = {
  number: 18,
  name: 'sensitive path',
  instead: 'Change only the project’s own files; notes for later sessions can go into .claude/rules/.',
  look: (command, context) =>
    first(writesOf(command).map((path) => writesSensitively(path, command.cwd, context))) ??
    unpacksOverFolders(command, context),
};

/** An archive decides which files it contains: in a folder with settings or programs, it could replace any of them. */
function unpacksOverFolders(command: Command, context: Context): Concern | null {
  const into = unpacksInto(command);
  if (into === null) return null;
  const zone = zoneOf(into.text, command.cwd, context);
  if (zone !== 'root' && zone !== 'system') return writesSensitively(into.text, command.cwd, context);
  return block(`unpacks an archive over ${into.text}`, EMPTY_FOLDER);
}

const ENDLESS = /^\/dev\/(?:zero|u?random)$/;
const FORKS = /\bfork\b[\s()]*while\b|\bwhile\b[^;]*[:{][^;]*\bfork\b/s;
/** Fork bombs are short. */
const LONGEST_CODE = 1000;
const LARGE_BYTES = 50 * 1024 ** 3;
const UNITS = ['', 'K', 'M', 'G', 'T', 'P'];
const WITHOUT_END = block('writes without end');

const exhaustion: Category = {
  number: 3,
  name: 'resource exhaustion',
  instead: 'Set a limit: a count, a size, a number of jobs.',
  look(command) {
    const { name, words } = command;
    if (name === FORK_BOMB) return block('is a fork bomb');
    if (name === ENDLESS_FORK) return block('starts processes without end');
    if (name === 'dd') return fillsByDd(command);
    if (name === 'fallocate') return allocates(command);
    if (name === 'stress' || name === 'stress-ng') return warn('uses all of the machine’s resources');
    if (name === 'tail' && hasWord(command.words, ENDLESS)) return block('reads an endless file into memory');
    const isCode = /^(?:perl|python3?|ruby)$/.test(name);
    const isBomb = isCode && words.some((text) => text.length < LONGEST_CODE && FORKS.test(text));
    return isBomb ? block('forks without end') : fillsAFile(command);
  },
};

/** `yes > x`, `cat /dev/zero > x`: nothing limits the endless output before it reaches the file. */
function fillsAFile(command: Command): Concern | null {
  const isEndless = (each: Command) => each.name === 'yes' || (each.name === 'cat' && hasWord(each.words, ENDLESS));
  if (writesOf(command).every((path) => path.startsWith('/dev/'))) return null;
  if (isEndless(command)) return WITHOUT_END;
  const { from } = command.input;
  const passes = /^(?:cat|tee|pv|tr|base64|sed)$/.test(command.name);
  const isBound = from.some(({ name }) => name === 'head' || name === 'timeout');
  return passes && !isBound && from.some(isEndless) ? WITHOUT_END : null;
}

function fillsByDd(command: Command): Concern | null {
  const target = command.words.find((text) => text.startsWith('of=')) ?? 'of=/dev/null';
  const isBound = target === 'of=/dev/null' || hasWord(command.words, /^count=/);
  return !isBound && hasWord(command.words, /^if=\/dev\/(?:zero|u?random)$/) ? WITHOUT_END : null;
}

function allocates(command: Command): Concern | null {
  const options = readOptions(command.args, '-los length offset size');
  const size = options.values('l', 's', 'length', 'size')[0]?.text ?? '';
  const [, digits = '0', unit = ''] = /^\+?(\d+)([KMGTP]?)/i.exec(size) ?? [];
  const bytes = Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase());
  return bytes >= LARGE_BYTES ? block(`allocates ${size} of disk space`) : null;
}

export const FILES: readonly Category[] = [destructiveFiles, disk, exhaustion, sensitivePaths];
