/** Why the network cannot be shut off here, and what would help. */
import { existsSync, readFileSync } from 'node:fs';
import type { Entrance } from './namespace-entrance.ts';

export interface Refusal {
  readonly why: string;
  readonly hint: string;
}

/** Switches of the kernel that keep ordinary users from making namespaces. */
const SWITCHES = [
  { name: 'kernel.apparmor_restrict_unprivileged_userns', bad: '1', good: '0' },
  { name: 'kernel.unprivileged_userns_clone', bad: '0', good: '1' },
  { name: 'user.max_user_namespaces', bad: '0', good: '15000' },
  { name: 'user.max_net_namespaces', bad: '0', good: '15000' },
];

/** Left there by Docker and Podman. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

export const NOT_LINUX: Refusal = {
  why: 'only Linux has network namespaces',
  hint: 'a container without a network does the same: docker run --network none',
};

export function refusalOf(entrance: Exclude<Entrance, { kind: 'open' }>, proc = '/proc/sys'): Refusal {
  if (entrance.kind === 'missing' && entrance.what === 'unshare') {
    return { why: 'unshare is not installed', hint: 'it is part of util-linux' };
  }
  if (entrance.kind === 'missing') {
    return {
      why: 'nothing here can bring up a loopback',
      hint: 'any of ip (iproute2), ifconfig, busybox, perl or python3 can',
    };
  }
  return { why: entrance.words, hint: hintFor(entrance.words, proc) };
}

function hintFor(words: string, proc: string): string {
  if (words.includes('option')) return 'util-linux 2.36 or later is needed';
  const off = SWITCHES.find(({ name, bad }) => readSwitch(name, proc) === bad);
  if (off) return `to allow it: sudo sysctl ${off.name}=${off.good}`;
  if (CONTAINER_MARKS.some((mark) => existsSync(mark))) {
    return 'start the container with --network none, or with --cap-add SYS_ADMIN';
  }
  return 'root may do it, and other users where user namespaces are allowed';
}

function readSwitch(name: string, proc: string): string | null {
  try {
    return readFileSync(`${proc}/${name.replaceAll('.', '/')}`, 'utf8').trim();
  } catch {
    // This kernel does not have the switch, so it is not what stands in the way.
    return null;
  }
}
