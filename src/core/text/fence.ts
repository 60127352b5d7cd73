/** The line that begins or ends a code block in Markdown: ``` or ~~~, with the language behind it. */
export const isFence = (line: string): boolean => /^(?:`{3,}|~{3,})[\w+-]*$/.test(line.trim());
