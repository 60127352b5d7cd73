/** A short non-cryptographic hash of a text (53 bits). Loading `node:crypto` for this would add 3 ms to every start. */
export function digestOf(text: string): string {
  // Two lanes of 32 bits (cyrb53, by bryc, in the public domain).
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (2 ** 32 * (0x1fffff & low) + (high >>> 0)).toString(16).padStart(14, '0');
}
