/** A container that is a way onto the host. */
import { block, type Category, type Concern, type Context, warn, worst } from '../category.ts';
import type { Arg, Command } from '../command.ts';
import { type Options, readOptions } from '../options.ts';
import { isWithin, zoneOf } from '../paths.ts';
import { holdsSecrets } from '../secrets.ts';
import { writesOf } from '../writes.ts';

const ENGINES = ['docker', 'podman', 'nerdctl', 'ctr'];
const SHAPE = {
  letters: 'vewpuhlacm',
  names: [
    'volume',
    'mount',
    'env',
    'workdir',
    'publish',
    'user',
    'name',
    'network',
    'net',
    'pid',
    'ipc',
    'userns',
    'uts',
    'cap-add',
    'cap-drop',
    'device',
    'security-opt',
    'entrypoint',
    'env-file',
    'platform',
    'memory',
    'cpus',
    'label',
    'restart',
    'hostname',
    'add-host',
    'gpus',
    'file',
    'project-name',
  ],
};
const KERNEL_DOORS = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sysrq-trigger',
  '/sys/kernel/uevent_helper',
  '/proc/sys/kernel/modprobe',
];

export const containerEscape: Category = {
  number: 8,
  name: 'container escape',
  instead: 'Mount only folders of the project, and keep the container isolated.',
  look(command, context) {
    if (ENGINES.includes(command.name)) return opensContainer(command, context);
    if (command.name === 'nsenter') return block('enters another namespace');
    if (command.name === 'chroot') return block('enters another file system');
    if (
      command.name === 'kubectl' &&
      command.args.some(({ text }) => /privileged"?\s*[:=]\s*true|hostPID|hostPath/.test(text))
    ) {
      return block('starts a pod with full control over its node');
    }
    const door = writesOf(command).find((path) => KERNEL_DOORS.includes(path) || path.endsWith('/release_agent'));
    return door === undefined ? null : block(`writes to ${door}`);
  },
};

function opensContainer(command: Command, context: Context): Concern | null {
  const words = command.args.map(({ text }) => text);
  if (words[0] === 'cp') return copiesSecrets(command, context);
  const at = words.findIndex((text) => ['run', 'create', 'exec'].includes(text));
  if (at === -1) return null;
  const options = readOptions(command.args.slice(at + 1), { ...SHAPE, isPrefix: true });
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

function mounts(options: Options): Arg[] {
  const volumes = options.values('v', 'volume').map(({ text, from }) => ({ text: text.split(':')[0] ?? '', from }));
  const others = options.values('mount').flatMap(({ text, from }) => {
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(text)?.[1];
    return source === undefined || !text.includes('type=bind') ? [] : [{ text: source, from }];
  });
  return [...volumes, ...others];
}

function mountsHost({ text }: Arg, command: Command, context: Context): Concern | null {
  if (text.endsWith('docker.sock') || text.endsWith('podman.sock') || text.endsWith('containerd.sock'))
    return block('hands the container engine to the container');
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
  const isHost = (name: string) => options.values(name).some(({ text }) => text === 'host');
  if (isHost('pid') || isHost('userns') || isHost('ipc') || isHost('uts'))
    return block('shares the host’s processes with the container');
  if (
    options
      .values('cap-add')
      .some(({ text }) => /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|DAC_READ_SEARCH)$/i.test(text))
  )
    return block('gives the container control over the kernel');
  if (options.values('security-opt').some(({ text }) => /unconfined|label[:=]disable/.test(text)))
    return block('turns off the container’s isolation');
  if (options.values('device').some(({ text }) => /^\/dev\/(?:[hsv]d[a-z]|nvme|mem|kmem|mapper)/.test(text)))
    return block('gives the container a disk of the host');
  return null;
}
