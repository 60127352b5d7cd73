/** A container that is a way onto the host. */
import { block, byProgram, type Category, type Concern, type Context, warn, when, worst } from '../category.ts';
import type { Command } from '../command.ts';
import { type Options, readOptions } from '../options.ts';
import { isWithin, zoneOf } from '../paths.ts';
import { holdsSecrets } from '../secrets.ts';
import { list } from '../tables.ts';
import { writesOf } from '../writes.ts';

const SHAPE = {
  letters: 'vewpuhlacm',
  names: list(`
    volume mount env workdir publish user name network net pid ipc userns uts cap-add cap-drop device security-opt
    entrypoint env-file platform memory cpus label restart hostname add-host gpus file project-name
  `),
  isPrefix: true,
};
const KERNEL_DOORS =
  /^(?:\/proc\/sys\/kernel\/(?:core_pattern|modprobe)|\/proc\/sysrq-trigger|\/sys\/kernel\/uevent_helper|.*\/release_agent)$/s;
const CONTROLS_KERNEL = /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|DAC_READ_SEARCH)$/i;

export const containerEscape: Category = {
  number: 8,
  name: 'container escape',
  instead: 'Mount only folders of the project, and keep the container isolated.',
  look: byProgram(
    {
      'docker podman nerdctl ctr': opensContainer,
      nsenter: block('enters another namespace'),
      chroot: block('enters another file system'),
    },
    (command, context, seen) =>
      (command.name === 'kubectl' ? controlsNode(command, context, seen) : null) ?? opensDoor(command),
  ),
};

const controlsNode = when(
  /privileged"?\s*[:=]\s*true|hostPID|hostPath/,
  block('starts a pod with full control over its node'),
);

function opensDoor(command: Command): Concern | null {
  const door = writesOf(command).find((path) => KERNEL_DOORS.test(path));
  return door === undefined ? null : block(`writes to ${door}`);
}

function opensContainer(command: Command, context: Context): Concern | null {
  const { words, args } = command;
  if (words[0] === 'cp') return copiesSecrets(command, context);
  const at = words.findIndex((text) => ['run', 'create', 'exec'].includes(text));
  if (at === -1) return null;
  const options = readOptions(args.slice(at + 1), SHAPE);
  if (options.has('privileged') && !words.includes('--privileged=false'))
    return block('starts a container with full control over the host');
  return worst([...mounts(options).map((source) => mountsHost(source, command, context)), sharesHost(options)]);
}

/** `docker cp ~/.ssh container:/`. */
function copiesSecrets(command: Command, context: Context): Concern | null {
  const [source] = readOptions(command.args.slice(1)).operands;
  return source !== undefined && holdsSecrets(source.text, command.cwd, context.home)
    ? block(`hands the secrets in ${source.text} to the container`)
    : null;
}

function mounts(options: Options): string[] {
  const volumes = options.values('v', 'volume').map(({ text }) => text.split(':')[0] ?? '');
  const binds = options.values('mount').flatMap(({ text }) => {
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(text)?.[1];
    return source === undefined || !text.includes('type=bind') ? [] : [source];
  });
  return [...volumes, ...binds];
}

function mountsHost(text: string, command: Command, context: Context): Concern | null {
  if (/(?:docker|podman|containerd)\.sock$/.test(text)) return block('hands the container engine to the container');
  // A name without a slash is a volume of the engine's own.
  if (!/^[/~.\0]/.test(text)) return null;
  if (holdsSecrets(text, command.cwd, context.home))
    return block(`hands the secrets in ${text} to the container`, 'Mount only what the program needs, without keys.');
  const zone = zoneOf(text, command.cwd, context);
  if (zone === 'root' && isWithin(context.project, text) && text !== '/' && text !== context.home)
    return warn(`mounts ${text}, which is more than the project`);
  if (zone === 'root' || zone === 'system') return block(`mounts ${text} of the host`);
  return null;
}

function sharesHost(options: Options): Concern | null {
  const has = (pattern: RegExp, ...names: string[]) => options.values(...names).some(({ text }) => pattern.test(text));
  if (has(/^host$/, 'pid', 'userns', 'ipc', 'uts')) return block('shares the host’s processes with the container');
  if (has(CONTROLS_KERNEL, 'cap-add')) return block('gives the container control over the kernel');
  if (has(/unconfined|label[:=]disable/, 'security-opt')) return block('turns off the container’s isolation');
  return has(/^\/dev\/(?:[hsv]d[a-z]|nvme|mem|kmem|mapper)/, 'device')
    ? block('gives the container a disk of the host')
    : null;
}
