/** The environment of a clean checkout, without variables that change how programs run or lead into the work tree. */
import { delimiter, isAbsolute } from 'node:path';
import { realPathSoFar } from '../process/files.ts';
import { mayWrite, pathOutsideOf } from '../runners/sandbox/own-environment.ts';

/** Each of these makes an interpreter, a loader or a test runner run additional code, or search elsewhere first. */
const TAKEN_OUT = `
NODE_OPTIONS NODE_PATH NODE_ENV NODE_V8_COVERAGE VITEST JEST_WORKER_ID TS_NODE_PROJECT
PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONUSERBASE PYTEST_ADDOPTS PYTEST_PLUGINS
RUBYOPT RUBYLIB PERL5OPT PERL5LIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS
GOFLAGS RUSTFLAGS RUSTC_WRAPPER CARGO_ENCODED_RUSTFLAGS MAKEFLAGS MFLAGS MAKEFILES
LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH
BASH_ENV ENV CDPATH SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND
`.split(/\s+/);

/** `npm` tells its scripts about their project, which is not the one in the checkout. */
const OF_PACKAGE_MANAGERS =
  /^(?:npm_(?:package|lifecycle|command|execpath|node_execpath|config_local_prefix)|INIT_CWD$|GIT_)/;

/** `workTree`: the project's, from which no program may be run. */
export function cleanEnvironment(env: NodeJS.ProcessEnv, workTree: string): NodeJS.ProcessEnv {
  const isInside = leadsInto(workTree);
  const kept = Object.entries(env).filter(
    ([name, value = '']) => !TAKEN_OUT.includes(name) && !OF_PACKAGE_MANAGERS.test(name) && !isInside(name, value),
  );
  // A cached test result says nothing about this run.
  const own = { GOFLAGS: [...goFlags(env), '-count=1'].join(' '), CI: env.CI ?? 'true' };
  return { ...Object.fromEntries(kept), PATH: pathOutsideOf(workTree, env), ...own };
}

/** Flags that only say how to build. Others name programs or files (`-toolexec`, `-overlay`), or select tests. */
const BUILDS = /^--?(?:mod=\w+|tags=[\w.,]+|race|msan|asan|trimpath|modcacherw|buildvcs=\w+|p=\d+)$/;

const goFlags = ({ GOFLAGS = '' }: NodeJS.ProcessEnv): string[] =>
  GOFLAGS.split(/\s+/).filter((flag) => BUILDS.test(flag));

/** A virtual environment, a Gemfile, a cache: those in the work tree are the agent's, and the checkout has its own. */
function leadsInto(workTree: string): (name: string, value: string) => boolean {
  const folder = { writable: [realPathSoFar(workTree)], readOnly: [] };
  // Few programs work without a home folder.
  return (name, value) =>
    name !== 'HOME' && value.split(delimiter).some((path) => isAbsolute(path) && mayWrite(folder, path));
}
