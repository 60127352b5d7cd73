/** Deleting, emptying or locking away what lies outside of the project, or the project itself. */
import { block, byProgram, type Category, type Concern, type Context, warn, worst } from '../category.ts';
import { type Arg, type Command, UNKNOWN, UNSEEN_LIST } from '../command.ts';
import { readOptions } from '../options.ts';
import { isEverythingIn, resolvePath, zoneOf } from '../paths.ts';
import { eachListed, isFound } from '../run/each-file.ts';

const COPY = 'Copy it (cp) and leave the original where it is.';

export const destructiveFiles: Category = {
  number: 1,
  name: 'destructive file system',
  instead: 'Delete files and folders by name, inside the project or in /tmp.',
  look: byProgram(
    {
      'rm unlink rmdir trash srm': (command, context) =>
        deletes(command, context, readOptions(command.args).has('r', 'R', 'recursive', 'd')),
      'rimraf del-cli': (command, context) => deletes(command, context, true),
      'shred truncate': empties,
      mv: moves,
      'chmod chown chgrp': locksAway,
      rsync: mirrors,
      'docker podman': prunes,
    },
    (command, context) => (looksLikeDeletion(command) ? deletes(command, context, true) : null),
  ),
};

function deletes(command: Command, context: Context, isRecursive: boolean): Concern | null {
  const options = readOptions(command.args);
  if (options.has('no-preserve-root')) return block('turns off the protection of /');
  return worst(
    options.operands.flatMap((target) =>
      // What find brings lies at any depth.
      eachListed(target).map((each) => deletesOne(each, command, context, isRecursive || isFound(target))),
    ),
  );
}

function deletesOne({ text }: Arg, command: Command, context: Context, isRecursive: boolean): Concern | null {
  const shown = text.replaceAll(UNKNOWN, '…');
  if (text === UNSEEN_LIST) {
    return isRecursive
      ? block('deletes recursively from a list that cannot be checked', 'Print the list first, then delete by name.')
      : null;
  }
  switch (zoneOf(text, command.cwd, context)) {
    case 'root':
      return isRecursive || isEverythingIn(text)
        ? block(`deletes ${shown}, which holds your home folder or the project`)
        : null;
    case 'project-root':
      if (isRecursive) return block(`deletes the whole project (${shown})`);
      return isEverythingIn(text) ? warn(`deletes every file in the project's folder (${shown})`) : null;
    case 'project-git':
      return isRecursive
        ? block(`deletes the project's git history (${shown})`)
        : warn(`deletes files in .git (${shown})`);
    case 'system':
      return block(`deletes ${shown}, which belongs to the system`);
    case 'outside':
      return isRecursive
        ? block(`deletes ${shown} recursively, outside of the project`)
        : warn(`deletes ${shown}, outside of the project`);
    case 'cache-root':
      return isRecursive || isEverythingIn(text) ? warn(`deletes the caches of all programs (${shown})`) : null;
    case 'temporary-root':
      if (isEverythingIn(text)) return warn(`deletes the temporary files of all programs (${shown})`);
      return isRecursive ? block(`deletes the folder of temporary files (${shown})`) : null;
    case 'unknown':
      return isRecursive && /^\0\/+\*?$/.test(text)
        ? warn(`deletes everything in a folder whose name may turn out empty (${shown})`)
        : null;
    case 'project':
    case 'temporary':
    case 'cache':
      return null;
  }
}

/** `$UNKNOWN -rf /`: whatever it is called, those are the words of rm. */
function looksLikeDeletion({ name, args }: Command): boolean {
  const options = readOptions(args);
  return name.includes(UNKNOWN) && options.has('r', 'R') && options.has('f');
}

function empties(command: Command, context: Context): Concern | null {
  const options = readOptions(command.args, { letters: 'snr', names: ['size', 'iterations', 'reference'] });
  return worst(options.operands.map(({ text }) => outsider(text, command, context, 'empties')));
}

function moves(command: Command, context: Context): Concern | null {
  const options = readOptions(command.args, { letters: 'tS', names: ['target-directory', 'suffix'] });
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

/** Files of other projects or of people: a whole folder of the home, or anything into a place that is emptied. */
function movesOthers(text: string, target: string, command: Command, context: Context): Concern {
  const path = resolvePath(text, command.cwd, context.home) ?? text;
  const isTopFolder = path.slice(0, path.lastIndexOf('/')) === context.home;
  const isLost = zoneOf(target, command.cwd, context).startsWith('temporary');
  if (isTopFolder || isLost) return block(`moves ${text}, which is not part of the project, to ${target}`, COPY);
  return warn(`moves ${text}, which is not part of the project`, COPY);
}

function locksAway(command: Command, context: Context): Concern | null {
  const options = readOptions(command.args, { names: ['reference', 'from'] });
  if (command.name === 'chmod' && /^-[rwxst]+$/.test(command.words[0] ?? '')) return null;
  const isRecursive = options.has('R', 'recursive');
  const [mode, ...targets] = options.operands;
  const opensAll = command.name === 'chmod' && /^[0-7]?777$|^(?:a|o|ugo)?\+[rwx]*w/.test(mode?.text ?? '');
  return worst(
    targets.map(({ text }) => {
      const zone = zoneOf(text, command.cwd, context);
      if (zone === 'root' || zone === 'system')
        return isRecursive || zone === 'system' ? block(`changes who may use ${text}`) : null;
      if (zone === 'outside' && isRecursive)
        return block(`changes who may use everything in ${text}, outside of the project`);
      return opensAll && zone !== 'temporary' && zone !== 'unknown' ? warn(`lets everybody write to ${text}`) : null;
    }),
  );
}

function mirrors(command: Command, context: Context): Concern | null {
  const options = readOptions(command.args, { letters: 'efTB', names: ['rsh', 'exclude', 'include', 'filter'] });
  if (options.has('remove-source-files')) {
    return worst(options.operands.slice(0, -1).map(({ text }) => outsider(text, command, context, 'moves away')));
  }
  if (!options.has('delete') && !command.words.some((text) => text.startsWith('--delete'))) return null;
  return outsider(options.operands.at(-1)?.text ?? '', command, context, 'deletes, by mirroring, in');
}

function outsider(text: string, command: Command, context: Context, verb: string): Concern | null {
  const zone = zoneOf(text, command.cwd, context);
  const isOut = ['root', 'system', 'outside', 'project-git'].includes(zone) && !text.startsWith('/dev/');
  return isOut && !/^[\w.@-]+:/.test(text) ? block(`${verb} ${text}`) : null;
}

function prunes(command: Command): Concern | null {
  const [first = '', second = ''] = command.words.filter((text) => !text.startsWith('-'));
  if (second !== 'prune' && (first !== 'volume' || second !== 'rm')) return null;
  return warn(
    `removes more than this project's containers (${first} ${second})`,
    'Remove this project’s own containers and volumes by name.',
  );
}
