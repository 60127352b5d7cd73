/** Nothing that an agent or a prompt says becomes a link, a tag, a heading or a cell of a table. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>()#+|~&!]/g, String.raw`\$&`);
}
