/** Lists the first few of many names. */
const NAMED = 5;

/** `a, b and 7 more` */
export function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${shown} and ${names.length - NAMED} more` : shown;
}
