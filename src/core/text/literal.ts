/** Escapes text for a regular expression that matches exactly that text. */
export const literally = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
