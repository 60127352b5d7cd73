/** What a person tells the agent of a loop: it stands below the next prompt of its work, once. */

/** `answer`: to what the loop asked, or waits for. */
export interface Told {
  readonly as: 'tell' | 'answer';
  readonly text: string;
}

export function promptWithTold(prompt: string, told: readonly Told[]): string {
  return told.length === 0 ? prompt : [prompt.trimEnd(), ...told.map(toldText)].join('\n\n');
}

export function toldText({ as, text }: Told): string {
  const heading = as === 'answer' ? 'The answer to your question' : 'A message for you';
  return `## ${heading}\nFrom the person who runs this loop:\n\n${text}`;
}
