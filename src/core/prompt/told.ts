/** What a person, or a program in their place, tells the agent of a loop: it stands below the next prompt of its work, once. */

/** `answer`: to what the loop asked, or waits for. */
export interface Told {
  readonly as: 'tell' | 'answer';
  readonly text: string;
  /** The program that said it in place of the person, by its own name; absent for the person. */
  readonly from?: string;
}

export function promptWithTold(prompt: string, told: readonly Told[]): string {
  return told.length === 0 ? prompt : [prompt.trimEnd(), ...told.map(toldText)].join('\n\n');
}

export function toldText({ as, text, from }: Told): string {
  const heading = as === 'answer' ? 'The answer to your question' : 'A message for you';
  const person = 'the person who runs this loop';
  const speaker = from === undefined ? person : `the program "${from}", which ${person} lets steer it`;
  return `## ${heading}\nFrom ${speaker}:\n\n${text}`;
}
