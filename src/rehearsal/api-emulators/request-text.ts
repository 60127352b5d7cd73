/** Finds the words in a request, whatever the API that it belongs to. */

/** The words of a message's content: its texts, and those of tool results inside it. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(wordsOf).join('\n');
  if (typeof content !== 'object' || content === null) return '';
  if ('text' in content) return wordsOf(content.text);
  return 'content' in content ? wordsOf(content.content) : '';
}

/** Of a user's message, or of the results of all calls of the last reply, which are one item each. */
export function lastWords<Item>(
  items: readonly Item[],
  isUser: (item: Item) => boolean,
  isResult: (item: Item) => boolean,
  contentOf: (item: Item) => unknown,
): string {
  const last = items.findLastIndex((item) => isUser(item) || isResult(item));
  const item = items[last];
  if (item === undefined) return '';
  const first = isResult(item) ? items.findLastIndex((one, index) => index < last && !isResult(one)) + 1 : last;
  return items
    .slice(first, last + 1)
    .map((one) => wordsOf(contentOf(one)))
    .join('\n');
}

/** Say what a part is, or hold a picture: no text to look for. */
const NOT_WORDS = new Set(['type', 'role', 'data']);

/** Every text anywhere in a value, so that instructions, reasoning and tool calls are found too. */
export function allWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const parts = Array.isArray(value)
    ? value
    : Object.entries(value).flatMap(([key, part]: [string, unknown]) => (NOT_WORDS.has(key) ? [] : [part]));
  return parts.map(allWords).filter(Boolean).join('\n');
}

/** About four characters make a token; an agent only wants to know whether the context is nearly full. */
export function estimateTokens(body: unknown): number {
  return Math.ceil(JSON.stringify(body).length / 4);
}
