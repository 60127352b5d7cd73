/** Text as a regular expression that matches just that text. */
export const literally = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
