/** Replaces commands that a message tells people to type by calls of the tools that do the same. Pure. */

/** The tool's argument for each flag of `ralph resume`. */
const RAISED: Readonly<Record<string, string>> = {
  '-m': 'maxIterations',
  '--max-cost': 'maxCostUsd',
  '--max-cost-per-story': 'maxCostPerStoryUsd',
  '--max-tokens': 'maxTokens',
  '--max-time': 'maxTime',
};

const STEERING =
  /(?:\brun|(?<=Stop it first)): ralph (resume|pause|stop) ([\w-]+)(?: (-m|--max-[a-z-]+) (\d+(?:\.\d+)?\w*))?(?=[\s.]|$)/g;
const WATCHING = /(?<=To watch it: )ralph logs ([\w-]+)(?: -f)?(?=[\s.]|$)/g;

export function clientHints(text: string): string {
  return text
    .replaceAll(STEERING, (whole, command: string, loop: string, flag: string | undefined, value: string) => {
      const argument = RAISED[flag ?? ''];
      const more = argument === undefined ? {} : { [argument]: argument === 'maxTime' ? value : Number(value) };
      const call = `call ${command}_loop with ${JSON.stringify({ loop, ...more })}`;
      return whole.startsWith('run') ? call : `: ${call}`;
    })
    .replaceAll(WATCHING, (_whole, loop: string) => `call loop_log with ${JSON.stringify({ loop })}`);
}
