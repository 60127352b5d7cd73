/** Colour for what a verdict means, where the terminal takes it. It never carries the meaning alone. */
import { styleText } from 'node:util';
import type { Mark } from '../core/closing/closing-summary.ts';

export type Style = 'green' | 'red' | 'yellow' | 'dim' | 'bold';
export type Paint = (style: Style, text: string) => string;

/** Whether there is colour was decided before; later Nodes would look at stdout themselves. */
const WHATEVER_THE_STREAM = { validateStream: false };

export function painter(color: boolean): Paint {
  return color ? (style, text) => styleText(style, text, WHATEVER_THE_STREAM) : (_style, text) => text;
}

export const STYLES = { done: 'green', failed: 'red', 'needs-you': 'yellow' } as const satisfies Record<Mark, Style>;
