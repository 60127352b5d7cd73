/** A prompt of many lines with everything that a shell, tmux or a terminal could interpret. */

const LINES = [
  'Say "quoted", \'single\' and `backticked` words.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: no shell is meant to read it.
  'Expand nothing: $(touch made-by-a-shell) ${HOME} $HOME `id` !! !$ %1 #{pane_id} ~ \\n \\\\ ;',
  '---',
  '- a list: {a,b} [c] (d) <e> | f & g; h',
  '  indented, with ümlauts, 日本語 and an emoji 🙂',
  'It ends in a semicolon;',
  '',
  '# a heading!',
];

export function awkwardPrompt(bytes: number): string {
  const head = 'Read all of this.\n';
  const tail = '\nEnd of the prompt: 0451.\n';
  let text = head;
  for (let i = 0; Buffer.byteLength(text) < bytes - 100; i++) text += `${i} ${LINES[i % LINES.length]}\n`;
  return text + tail;
}
