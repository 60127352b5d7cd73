/** A sandbox as a program asks for it; what it leaves out is none. */
import { NO_SANDBOX, type SandboxRequest } from '../runners/sandbox/request.ts';

export interface SandboxOptions {
  /** `os`: the operating system's own; `docker`: a Docker Sandbox; `auto`: the strongest that is there; `none`: none, whatever the settings say. */
  readonly kind: NonNullable<SandboxRequest['kind']>;
  /** More hosts to reach: `example.com`, `*.example.com`, `localhost:8080`. */
  readonly allowHosts?: readonly string[];
  /** Paths outside of the work tree that may be written, and those in it that may not. */
  readonly allowWrite?: readonly string[];
  readonly denyWrite?: readonly string[];
  /** More paths that are hidden. */
  readonly denyRead?: readonly string[];
}

export function sandboxFromOptions(options: SandboxOptions): SandboxRequest {
  const { kind, allowHosts = [], allowWrite = [], denyWrite = [], denyRead = [] } = options;
  return { ...NO_SANDBOX, kind, allowHosts, allowWrite, denyWrite, denyRead };
}
