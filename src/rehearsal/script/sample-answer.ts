/** Makes the dullest value that a JSON Schema takes, for side requests that must be answered in JSON. */

/** An agent asks again and again, for minutes, when the answer does not have the shape that it asked for. */
export function sampleOf(schema: unknown): unknown {
  if (!isObject(schema)) return {};
  const { enum: values, const: only, type, properties, minimum } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0] as unknown;
  switch (kindOf(type)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isObject(properties) ? properties : {}).map(([key, value]) => [key, sampleOf(value)]),
      );
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'Rehearsal';
  }
}

/** Gemini writes types in capitals; a list names alternatives. */
function kindOf(type: unknown): string {
  const first: unknown = Array.isArray(type) ? type[0] : type;
  return typeof first === 'string' ? first.toLowerCase() : '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
