/** Nothing in the text becomes a tag or an entity, in HTML, in the markup of desktops, and in that of Slack. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
