/** Whether to use colour: what the user asks for (NO_COLOR, FORCE_COLOR), otherwise what the terminal supports. */

export function hasColor(isTerminal: boolean, variables: NodeJS.ProcessEnv = process.env): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = variables;
  if (NO_COLOR !== '') return false;
  return (FORCE_COLOR !== '' && FORCE_COLOR !== '0') || (isTerminal && TERM !== 'dumb');
}

export type ColorDepth = 'none' | '16' | 'true';

/** How many colours to use on a terminal. */
export function colorDepth(variables: NodeJS.ProcessEnv = process.env): ColorDepth {
  if (!hasColor(true, variables)) return 'none';
  return /^(?:truecolor|24bit)$/i.test(variables.COLORTERM ?? '') ? 'true' : '16';
}
