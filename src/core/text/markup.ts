/** Escapes text for HTML, desktop notifications and Slack, so that nothing becomes a tag or an entity. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
