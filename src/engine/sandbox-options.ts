/** A sandbox as a program asks for it; what it leaves out is none. */
import { NO_SANDBOX, type SandboxRequest } from '../runners/sandbox/request.ts';

export interface SandboxOptions {
  /** `os`: the operating system's own; `docker`: a Docker Sandbox; `auto`: the strongest that is there; `none`: none, whatever the settings say. */
  readonly kind: NonNullable<SandboxRequest['kind']>;
  /** Hosts to reach besides: `example.com`, `*.example.com`, `localhost:8080`. */
  readonly allowHosts?: readonly string[];
  /** Paths that may be written besides the work tree, and those in it that may not. */
  readonly allowWrite?: readonly string[];
  readonly denyWrite?: readonly string[];
  /** Paths that are hidden besides. */
  readonly denyRead?: readonly string[];
}

export function sandboxFromOptions(options: SandboxOptions): SandboxRequest {
  const { kind, allowHosts = [], allowWrite = [], denyWrite = [], denyRead = [] } = options;
  return { ...NO_SANDBOX, kind, allowHosts, allowWrite, denyWrite, denyRead };
}
