/** Messages to the agent from a person, or a program in their place, appended to the next prompt of the work, once. */

/** `answer`: the answer to the loop's question. */
export interface Told {
  readonly as: 'tell' | 'answer';
  readonly text: string;
  /** The name of the program that sent it in place of the person; absent if the person did. */
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
