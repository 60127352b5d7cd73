/** What a person is told to type, in a client's words: the tool that does the same. Pure. */

const STEERING = /(?:\brun|(?<=Stop it first)): ralph (resume|pause|stop) ([\w-]+)(?=[\s.]|$)/g;
const WATCHING = /(?<=To watch it: )ralph logs ([\w-]+)(?: -f)?(?=[\s.]|$)/g;

export function clientHints(text: string): string {
  return text
    .replaceAll(STEERING, (whole, command: string, loop: string) => {
      const call = `call ${command}_loop with ${JSON.stringify({ loop })}`;
      return whole.startsWith('run') ? call : `: ${call}`;
    })
    .replaceAll(WATCHING, (_whole, loop: string) => `call loop_log with ${JSON.stringify({ loop })}`);
}
