/** Escapes text for desktop notifications and Slack, so that nothing becomes a tag or an entity. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** For HTML, in attributes as well; Slack would show escaped quotes as they are. */
export function escapeHtml(text: string): string {
  return escapeMarkup(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
