/** The list of models that some agents ask for at their start. */
import type { WireRequest } from './api-emulator.ts';
import { routeOf } from './route.ts';

/** One list in the words of all vendors, since the path alone does not tell who asks. */
export function listModels({ method, path }: WireRequest): object | undefined {
  if (method !== 'GET' || routeOf(path) !== '/models') return undefined;
  const id = 'rehearsal';
  const model = { id, type: 'model', display_name: id, object: 'model', created: 0, owned_by: id };
  return {
    object: 'list',
    data: [model],
    has_more: false,
    first_id: id,
    last_id: id,
    // Gemini's and Codex's key; neither takes the other's entries, and both do without any.
    models: [],
  };
}
