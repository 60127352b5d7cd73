/** Whether there is colour: as the user asks for (NO_COLOR, FORCE_COLOR), else on a terminal that has some. */

export function hasColor(isTerminal: boolean, variables: NodeJS.ProcessEnv = process.env): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = variables;
  if (NO_COLOR !== '') return false;
  return (FORCE_COLOR !== '' && FORCE_COLOR !== '0') || (isTerminal && TERM !== 'dumb');
}
