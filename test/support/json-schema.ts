/** The part of JSON Schema that the shipped schema uses: enough to see what an editor would mark as wrong. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
}

type Plain = Readonly<Record<string, unknown>>;

/** The errors, each with its path; empty if there are none. */
export function faultsBySchema(value: unknown, schema: Schema, path = ''): string[] {
  if (schema.anyOf !== undefined) {
    // Of the possible forms, the one with the fewest errors.
    const tried = schema.anyOf.map((form) => faultsBySchema(value, form, path));
    return tried.sort((one, other) => one.length - other.length)[0] ?? [];
  }
  const faults: string[] = [];
  if ('const' in schema && value !== schema.const) faults.push(`${path}: not ${String(schema.const)}`);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return [`${path}: not ${types.join(' or ')}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) faults.push(`${path}: not in enum`);
  if (typeof value === 'string' && value.length < (schema.minLength ?? 0)) faults.push(`${path}: too short`);
  if (typeof value === 'string' && schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    faults.push(`${path}: not ${schema.pattern}`);
  }
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? value) || value <= (schema.exclusiveMinimum ?? -Infinity)) {
      faults.push(`${path}: too small`);
    }
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) faults.push(...value.flatMap((item, at) => faultsBySchema(item, items, `${path}[${at}]`)));
  } else if (value !== null && typeof value === 'object') {
    faults.push(...faultsOfObject(value as Plain, schema, path));
  }
  return faults;
}

function faultsOfObject(value: Plain, schema: Schema, path: string): string[] {
  const missing = (schema.required ?? []).filter((key) => !Object.hasOwn(value, key));
  const inner = Object.entries(value).flatMap(([key, item]) => {
    const known = schema.properties?.[key];
    if (known !== undefined) return faultsBySchema(item, known, `${path}.${key}`);
    const { additionalProperties: others = true } = schema;
    if (typeof others !== 'boolean') return faultsBySchema(item, others, `${path}.${key}`);
    return others ? [] : [`${path}.${key}: unknown`];
  });
  return [...missing.map((key) => `${path}.${key}: missing`), ...inner];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'object':
      return value !== null && typeof value === 'object' && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
