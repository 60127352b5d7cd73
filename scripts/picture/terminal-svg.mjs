/**
 * Draws the content of a terminal as an SVG: a window with its lines, in colour. Every piece of text states its
 * position and width, so that columns stay aligned in any monospaced font.
 */
import stringWidth from 'string-width';

/** The beginning of a sequence that sets a style; it ends with an `m`. */
const SEQUENCE = '\u001b[';
const USUAL = {
  columns: 80,
  title: 'ralph run in a terminal: DONE is rejected while npm test is red, and accepted once it is green',
};
const [CELL, LINE, FONT] = [8.4, 19, 14];
const [MARGIN, BAR] = [20, 36];

/** By the number in the sequence that turns the colour on. */
const COLORS = {
  31: '#ff7b72',
  32: '#56d364',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#56d4dd',
  90: '#8b949e',
};
const FRAME = { background: '#0d1117', bar: '#161b22', border: '#3d444d', text: '#d1d7e0', title: '#9198a1' };

export function terminalSvg(recorded, { columns, title } = USUAL) {
  const lines = recorded.replace(/\n$/, '').split('\n');
  const width = 2 * MARGIN + columns * CELL;
  const height = BAR + MARGIN + lines.length * LINE + MARGIN / 2;
  let style = {};
  const rows = lines.map((line, index) => {
    const { pieces, next } = piecesOf(line, style);
    style = next;
    const y = BAR + MARGIN + index * LINE + FONT / 2;
    return pieces.map((piece) => `${boxOf(piece, y)}${textOf(piece, y)}`).join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${FRAME.background}" stroke="${FRAME.border}"/>
<path d="M1 ${BAR}V11A10 10 0 0 1 11 1H${width - 11}A10 10 0 0 1 ${width - 1} 11V${BAR}Z" fill="${FRAME.bar}"/>
${['#ff5f57', '#febc2e', '#28c840'].map((color, index) => `<circle cx="${MARGIN + 4 + index * 20}" cy="${BAR / 2}" r="6" fill="${color}"/>`).join('')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="${FONT}" fill="${FRAME.text}">
<text x="${width / 2}" y="${BAR / 2 + 5}" text-anchor="middle" fill="${FRAME.title}">ralph</text>
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`;
}

/** The pieces of a line, each with its column and its style; blanks are not drawn. */
function piecesOf(line, before) {
  const pieces = [];
  let style = before;
  let column = 0;
  for (const [index, part] of line.split(SEQUENCE).entries()) {
    // Text before the first sequence has the style of the line above.
    const text = index === 0 ? part : part.slice(part.indexOf('m') + 1);
    if (index > 0) style = styled(style, part.slice(0, part.indexOf('m')));
    for (const { words, isWide } of text.split(/( {2,})/).flatMap(narrowAndWide)) {
      const shown = words.trim();
      const begins = column + words.indexOf(shown);
      if (shown !== '' || style.inverse)
        pieces.push({
          shown,
          begins,
          style,
          width: isWide ? null : stringWidth(shown),
          box: [column, stringWidth(words)],
        });
      column += stringWidth(words);
    }
  }
  return { pieces, next: style };
}

/** The width of emoji depends on the font, so each is a separate piece. */
function narrowAndWide(text) {
  const parts = [];
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    const isWide = stringWidth(segment) !== 1;
    const last = parts.at(-1);
    if (isWide || last === undefined || last.isWide) parts.push({ words: segment, isWide });
    else last.words += segment;
  }
  return parts;
}

function styled(before, codes) {
  let style = before;
  for (const code of (codes || '0').split(';')) style = afterCode(style, code);
  return style;
}

function afterCode(style, code) {
  if (code in COLORS) return { ...style, color: COLORS[code] };
  switch (code) {
    case '0':
      return {};
    case '1':
      return { ...style, bold: true };
    case '2':
      return { ...style, dim: true };
    case '7':
      return { ...style, inverse: true };
    case '27':
      return { ...style, inverse: false };
    case '22':
      return { ...style, bold: false, dim: false };
    case '39':
      return { ...style, color: undefined };
    // Ends a background, which the picture does not have.
    case '49':
      return style;
    default:
      throw new Error(`the picture has no colour for the sequence ${code}`);
  }
}

/** Inverse text has a box in the text colour behind it. */
function boxOf({ box: [column, width], style: { inverse } }, y) {
  if (!inverse) return '';
  const [x, top] = [round(MARGIN + column * CELL), round(y - FONT)];
  return `<rect x="${x}" y="${top}" width="${round(width * CELL + 0.5)}" height="${LINE}" fill="${FRAME.text}"/>`;
}

function textOf({ shown, begins, width, style: { bold, dim, color, inverse } }, y) {
  if (shown === '') return '';
  const attributes = [
    `x="${round(MARGIN + begins * CELL)}" y="${y}"`,
    width === null ? '' : `textLength="${round(width * CELL)}" lengthAdjust="spacingAndGlyphs"`,
    inverse ? `fill="${FRAME.background}"` : color === undefined ? '' : `fill="${color}"`,
    bold ? 'font-weight="bold"' : '',
    dim ? 'opacity="0.6"' : '',
  ];
  return `<text ${attributes.filter((one) => one !== '').join(' ')}>${escaped(shown)}</text>`;
}

const round = (number) => Math.round(number * 10) / 10;
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
