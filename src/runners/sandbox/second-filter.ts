/**
 * A filter of system calls for what the runtime's own filter leaves open, which blocks Unix sockets only. The kernel's
 * keyrings belong to no namespace: a program could read the keys of the session in which the loop was started. Nor do
 * the sockets by which a virtual machine talks to its host.
 */

/** The file descriptor from which bubblewrap reads it. */
export const FILTER_FD = 7;

/** The kernel's numbers, for each architecture that the runtime has a filter for. */
const MACHINES = {
  x64: { machine: 0xc000003e, socket: 41, keyrings: [248, 249, 250] },
  arm64: { machine: 0xc00000b7, socket: 198, keyrings: [217, 218, 219] },
} as const;

const AF_VSOCK = 40;
const EPERM = 1;
/** Offsets in what the kernel shows of a call (`struct seccomp_data`). */
const [NUMBER, MACHINE, FIRST_ARGUMENT] = [0, 4, 16];
const [LOAD, IS_EQUAL, RETURN] = [0x20, 0x15, 0x06];
const [ALLOW, REFUSE] = [0x7fff0000, 0x00050000 | EPERM];

/** A program for the kernel's packet filter. The runtime's filter refuses calls of other architectures. */
export function secondFilter(arch = process.arch): Buffer {
  if (arch !== 'x64' && arch !== 'arm64') throw new Error(`no filter of system calls is known for ${arch}`);
  const { machine, socket, keyrings } = MACHINES[arch];
  const [addKey, requestKey, keyctl] = keyrings;
  // Each jump skips this many instructions if it is equal, and if it is not.
  const program: [code: number, yes: number, no: number, value: number][] = [
    [LOAD, 0, 0, MACHINE],
    [IS_EQUAL, 0, 7, machine],
    [LOAD, 0, 0, NUMBER],
    [IS_EQUAL, 6, 0, addKey],
    [IS_EQUAL, 5, 0, requestKey],
    [IS_EQUAL, 4, 0, keyctl],
    [IS_EQUAL, 0, 2, socket],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [IS_EQUAL, 1, 0, AF_VSOCK],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, yes, no, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
