/** The name of a program without its folder; a pattern such as `/bin/r?` is told as what it stands for. */
import { fitsGlob } from './glob.ts';

/** Programs that somebody could want to hide so. */
const HIDDEN = ['rm', 'dd', 'sh', 'bash', 'shred', 'chmod', 'chown', 'curl', 'wget', 'nc', 'mv', 'cat', 'tee', 'sudo'];

export function nameOfProgram(program: string): string {
  const name = program.split('/').at(-1) ?? '';
  if (!program.includes('/') || !/[*?[]/.test(name)) return name;
  return HIDDEN.find((each) => fitsGlob(name, each)) ?? name;
}
