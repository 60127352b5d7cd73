/** Escapes text of an agent or a prompt, so that nothing becomes a link, a tag, a heading or a table cell; one line. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>()#+|~&!]/g, String.raw`\$&`);
}
