/** Colours text: in 24 bits, in sixteen colours, or not at all. No other escape sequences reach the screen in lines. */
import type { ColorDepth } from '../config/color.ts';
import type { Mark } from '../core/closing/closing-summary.ts';
import type { Condition } from '../views/loop-condition.ts';

export type Style = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

export interface Palette {
  (style: Style | null, text: string): string;
  /** Shows the selected row or tab in reverse video, which suits the colours of any terminal. */
  chosen(text: string): string;
  /** A part of it that is not reversed. */
  upright(text: string): string;
  /** If false, show in another way what the colours would mean. */
  readonly hasColors: boolean;
}

type Codes = Readonly<Record<Style, readonly [open: string, close: string]>>;

const ATTRIBUTES = { dim: ['2', '22'], bold: ['1', '22'] } as const;
const SIXTEEN: Codes = {
  ...ATTRIBUTES,
  green: ['32', '39'],
  red: ['31', '39'],
  yellow: ['33', '39'],
  cyan: ['36', '39'],
};
/** Readable on a light and on a dark background. */
const TRUE_COLOR: Codes = {
  ...ATTRIBUTES,
  green: ['38;2;46;160;67', '39'],
  red: ['38;2;229;83;75', '39'],
  yellow: ['38;2;201;141;22', '39'],
  cyan: ['38;2;57;145;203', '39'],
};

export function paletteOf(depth: ColorDepth): Palette {
  const codes = depth === 'none' ? ATTRIBUTES : depth === 'true' ? TRUE_COLOR : SIXTEEN;
  const paint = (style: Style | null, text: string): string => {
    const code = style === null ? undefined : (codes as Partial<Codes>)[style];
    return code === undefined || text === '' ? text : `\u001b[${code[0]}m${text}\u001b[${code[1]}m`;
  };
  const [turn, back] = ['\u001b[7m', '\u001b[27m'];
  return Object.assign(paint, {
    chosen: (text: string) => `${turn}${text}${back}`,
    upright: (text: string) => `${back}${text}${turn}`,
    hasColors: depth !== 'none',
  });
}

export const STYLE_OF_MARK = { done: 'green', failed: 'red', 'needs-you': 'yellow' } as const satisfies Record<
  Mark,
  Style
>;

export const STYLE_OF_CONDITION: Readonly<Record<Condition, Style | null>> = {
  'needs-you': 'yellow',
  working: 'cyan',
  waiting: 'yellow',
  left: 'red',
  failed: 'red',
  done: 'green',
};
