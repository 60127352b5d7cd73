/** Does the line begin or end a code block in Markdown: ``` or ~~~, perhaps followed by a language? */
export const isFence = (line: string): boolean => /^(?:`{3,}|~{3,})[\w+-]*$/.test(line.trim());
