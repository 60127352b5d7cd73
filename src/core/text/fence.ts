/** The line that begins or ends a code block in Markdown: ``` or ~~~, with the language behind it. */
export function isFence(line: string): boolean {
  return /^(?:`{3,}|~{3,})[\w+-]*$/.test(line.trim());
}
