/** Colours verdicts, if the terminal shows colours. Colour never carries the meaning alone. */
import { styleText } from 'node:util';
import type { Mark } from '../core/closing/closing-summary.ts';

export type Style = 'green' | 'red' | 'yellow' | 'dim' | 'bold';
export type Paint = (style: Style, text: string) => string;

/** The caller has decided whether to use colour; newer versions of Node would check stdout themselves. */
const WHATEVER_THE_STREAM = { validateStream: false };

export function painter(color: boolean): Paint {
  return color ? (style, text) => styleText(style, text, WHATEVER_THE_STREAM) : (_style, text) => text;
}

export const STYLES = { done: 'green', failed: 'red', 'needs-you': 'yellow' } as const satisfies Record<Mark, Style>;
