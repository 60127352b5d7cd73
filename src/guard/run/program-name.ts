/** The name of a program without its folder; a pattern such as `/bin/r?` is told as what it stands for. */

/** Programs that somebody could want to hide so. */
const HIDDEN = ['rm', 'dd', 'sh', 'bash', 'shred', 'chmod', 'chown', 'curl', 'wget', 'nc', 'mv', 'cat', 'tee', 'sudo'];

const LONGEST_PATTERN = 12;

export function nameOfProgram(program: string): string {
  const name = program.split('/').at(-1) ?? '';
  if (!program.includes('/') || !/[*?[]/.test(name)) return name;
  const pattern = name.replaceAll(/\[[^\]]+\]/g, '?').replaceAll(/\*+/g, '*');
  if (pattern.length > LONGEST_PATTERN) return name;
  return HIDDEN.find((each) => fits(pattern, each)) ?? name;
}

function fits(pattern: string, name: string): boolean {
  const [first] = pattern;
  if (first === undefined) return name === '';
  if (first === '*') return fits(pattern.slice(1), name) || (name !== '' && fits(pattern, name.slice(1)));
  return name !== '' && (first === '?' || first === name[0]) && fits(pattern.slice(1), name.slice(1));
}
