/** Finds the helper processes of sandboxed loops, and has the message for a lost one. */
import { processesOf } from '../programs/processes.ts';

/** The pids of the helpers of all loops of a scene; `policy` is a part of the path of the helper's policy. */
export function helpersOf({ folder }: { readonly folder: string }, policy = ''): number[] {
  const found = processesOf(folder).filter(({ command }) => command.includes(' sandbox-helper '));
  return found.filter(({ command }) => command.includes(policy)).map(({ pid }) => pid);
}

export function onlyHelper(scene: { readonly folder: string }, policy = ''): number {
  const [helper, ...others] = helpersOf(scene, policy);
  if (helper === undefined || others.length > 0) throw new Error(`${others.length} others than the helper ${helper}`);
  return helper;
}

export const lost = (how: string): string =>
  `Sandbox: its helper was ended (${how}); running programs have no network any more, the next one gets a new helper`;
export const LOST = lost('SIGKILL');

/** Shell code that prints in one line what a connection says, or why there is none. */
export const visit = (port: number, called: string) =>
  `echo "${called} $(${process.execPath} -e "require('net').connect(${port},'127.0.0.1').on('data',d=>process.stdout.write(''+d)).on('error',e=>console.log(e.code)).on('close',()=>console.log('closed'))" | tr '\\n' ' ')"`;
