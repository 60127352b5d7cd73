export interface Scenario {
  readonly name: string;
  readonly settings: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly calls: readonly (readonly object[])[];
  readonly killAtCall?: number;
  readonly expect: { readonly exit: number; readonly calls: number; readonly falseDone?: string };
}

export const SCENARIOS: readonly Scenario[];
