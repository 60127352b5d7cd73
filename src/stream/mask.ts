/** Hides what looks like a key: in the journal, in logs and on the screen. */

const MASK = '***';

/** Forms that issuers give their keys. */
const KNOWN_FORMS = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----/g,
];
/** `api_key = value`, `Authorization: Bearer value`: the name stays, the value goes. */
const NAMED =
  /\b((?:[\w-]*(?:api[_-]?key|secret|token|passw(?:or)?d)[\w-]*)["']?\s*[=:]\s*["']?|bearer\s+)((?=[^\s"',;]*\d)(?=[^\s"',;]*[a-z])[^\s"',;]{8,})/gi;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW/i;
const SHORTEST_SECRET = 8;

export type Mask = (text: string) => string;

/** The values of variables whose names say that they are secret are hidden wherever they turn up. */
export function maskFor(environment: Readonly<Record<string, string | undefined>>): Mask {
  const values = Object.entries(environment)
    .filter(([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= SHORTEST_SECRET)
    .map(([, value]) => value ?? '')
    // The longest first: a value that holds another one goes as a whole.
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const withoutValues = values.reduce((masked, value) => masked.replaceAll(value, MASK), text);
    const withoutForms = KNOWN_FORMS.reduce((masked, form) => masked.replaceAll(form, MASK), withoutValues);
    return withoutForms.replaceAll(NAMED, `$1${MASK}`);
  };
}
