/** The sandbox options of the library. Lists that are left out are empty. */
import { NO_SANDBOX, type SandboxRequest } from '../runners/sandbox/request.ts';

export interface SandboxOptions {
  /**
   * `os`: the operating system's own; `docker`: a Docker Sandbox; `auto`: the strongest available; `none`: no sandbox,
   * whatever the settings say.
   */
  readonly kind: NonNullable<SandboxRequest['kind']>;
  /** More hosts that can be reached: `example.com`, `*.example.com`, `localhost:8080`. */
  readonly allowHosts?: readonly string[];
  /** Paths outside the work tree that can be written, and paths inside it that cannot. */
  readonly allowWrite?: readonly string[];
  readonly denyWrite?: readonly string[];
  /** More paths to hide. */
  readonly denyRead?: readonly string[];
}

export function sandboxFromOptions(options: SandboxOptions): SandboxRequest {
  const { kind, allowHosts = [], allowWrite = [], denyWrite = [], denyRead = [] } = options;
  return { ...NO_SANDBOX, kind, allowHosts, allowWrite, denyWrite, denyRead };
}
