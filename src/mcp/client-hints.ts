/** What a person is told to type, in a client's words: the tool that does the same. Pure. */

/** A flag of `ralph resume`, and the argument of the tool. */
const RAISES: readonly (readonly [flag: string, argument: string, read: (text: string) => number | string])[] = [
  ['-m', 'maxIterations', Number],
  ['--max-cost', 'maxCostUsd', Number],
  ['--max-cost-per-story', 'maxCostPerStoryUsd', Number],
  ['--max-tokens', 'maxTokens', Number],
  ['--max-time', 'maxTime', String],
];

const STEERING =
  /(?:\brun|(?<=Stop it first)): ralph (resume|pause|stop) ([\w-]+)(?: (-m|--max-[a-z-]+) (\d+(?:\.\d+)?\w*))?(?=[\s.]|$)/g;
const WATCHING = /(?<=To watch it: )ralph logs ([\w-]+)(?: -f)?(?=[\s.]|$)/g;

export function clientHints(text: string): string {
  return text
    .replaceAll(STEERING, (whole, command: string, loop: string, flag?: string, value = '') => {
      const [, argument, read] = RAISES.find(([one]) => one === flag) ?? [];
      const more = argument === undefined || read === undefined ? {} : { [argument]: read(value) };
      const call = `call ${command}_loop with ${JSON.stringify({ loop, ...more })}`;
      return whole.startsWith('run') ? call : `: ${call}`;
    })
    .replaceAll(WATCHING, (_whole, loop: string) => `call loop_log with ${JSON.stringify({ loop })}`);
}
