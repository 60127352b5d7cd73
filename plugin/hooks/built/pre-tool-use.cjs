"use strict";

// src/hooks/pre-tool-use.ts
var import_node_fs2 = require("node:fs");
var import_node_path2 = require("node:path");

// src/core/guard/command.ts
var UNKNOWN = "\0";
var UNSEEN_LIST = `${UNKNOWN}*`;

// src/core/guard/paths.ts
function resolvePath(text, cwd, home) {
  const path = fromHome(text, home);
  if (path === "" || path.startsWith(UNKNOWN)) return null;
  if (path.startsWith("/")) return normalised(path);
  return cwd === null ? null : normalised(`${cwd}/${path}`);
}
function isWithin(path, folder) {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
var TEMPORARY = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp", "/var/folders"];
var SYSTEM = [
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/opt",
  "/proc",
  "/root",
  "/run",
  "/sbin",
  "/srv",
  "/sys",
  "/usr",
  "/var",
  "/Applications",
  "/Library",
  "/System",
  "/Volumes",
  "/private"
];
var EVERYTHING = /^(?:[.*?]|\[[^\]]*\])+$/;
var GIT_LEFTOVERS = ["rebase-merge", "rebase-apply", "index.lock", "HEAD.lock", "MERGE_HEAD"];
function zoneOf(text, cwd, places) {
  const resolved = resolvePath(text, cwd, places.home);
  if (resolved === null) return "unknown";
  const path = withoutEverything(resolved);
  const { project, home } = places;
  if (path === project) return "project-root";
  if (isWithin(path, `${project}/.git`)) {
    return GIT_LEFTOVERS.some((name) => isWithin(path, `${project}/.git/${name}`)) ? "project" : "project-git";
  }
  if (isWithin(path, project)) return "project";
  if (isWithin(project, path) || isWithin(home, path)) return "root";
  if (TEMPORARY.includes(path)) return "temporary-root";
  if (TEMPORARY.some((folder) => isWithin(path, folder))) return "temporary";
  if (isWithin(path, home)) return "outside";
  return SYSTEM.some((folder) => isWithin(path, folder)) ? "system" : "outside";
}
function withoutEverything(path) {
  const parts = path.split("/");
  while (parts.length > 1 && EVERYTHING.test(parts.at(-1) ?? "")) parts.pop();
  return parts.join("/") || "/";
}
function fromHome(text, home) {
  if (text === "~" || text.startsWith("~/")) return `${home}${text.slice(1)}`;
  const [all, user] = /^~([a-z_][\w-]*)(?=\/|$)/.exec(text) ?? [];
  if (all === void 0 || user === void 0) return text;
  return `${user === "root" ? "/root" : `/home/${user}`}${text.slice(all.length)}`;
}
function normalised(path) {
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

// src/core/guard/secrets.ts
var SECRET_IN_HOME = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".azure",
  ".docker/config.json",
  ".config/gcloud",
  ".config/gh",
  ".config/op",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".pgpass",
  ".my.cnf",
  ".vault-token",
  ".claude/.credentials.json",
  ".password-store",
  ".bash_history",
  ".zsh_history",
  "Library/Keychains"
];
var SECRET_IN_SYSTEM = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private", "/root/.ssh"];
var PUBLIC = /\.pub$|\/known_hosts$|\/\.ssh\/config$|\/\.aws\/config$/;
var KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519)$/;
var ENVIRONMENT_FILE = /^\.env(?:\.(?!example$|sample$|template$|dist$|test$)[\w-]+)*$/;
function secrecyOf(text, cwd, home) {
  const path = resolvePath(text, cwd, home) ?? text;
  const name = path.split("/").at(-1) ?? "";
  if (PUBLIC.test(path)) return "public";
  const inHome = SECRET_IN_HOME.some((each) => isAt(path, `${home}/${each}`));
  if (inHome || SECRET_IN_SYSTEM.some((each) => isAt(path, each)) || KEY_NAME.test(name)) return "secret";
  if (/^\/proc\/[^/]+\/environ$/.test(path)) return "secret";
  return ENVIRONMENT_FILE.test(name) ? "environment" : "public";
}
function isAt(path, place) {
  return path === place || path.startsWith(`${place}/`);
}

// src/core/guard/category.ts
function block(why, instead) {
  return instead === void 0 ? { tier: "block", why } : { tier: "block", why, instead };
}
function warn(why, instead) {
  return instead === void 0 ? { tier: "warn", why } : { tier: "warn", why, instead };
}

// src/core/guard/sensitive.ts
var IN_HOME = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker/config.json",
  ".bashrc",
  ".zshrc",
  ".profile",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".zprofile",
  ".zshenv",
  ".zlogin",
  ".config/fish",
  ".gitconfig",
  ".config/git",
  ".npmrc",
  ".netrc",
  ".pypirc",
  ".git-credentials",
  ".config/systemd",
  ".config/autostart",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".config/gh",
  "Library/LaunchAgents",
  ".local/bin",
  "bin",
  ".vimrc",
  ".pam_environment"
];
var IN_SYSTEM = [
  "/etc",
  "/private/etc",
  "/bin",
  "/sbin",
  "/usr",
  "/lib",
  "/lib64",
  "/boot",
  "/sys",
  "/proc",
  "/root",
  "/System",
  "/Library",
  "/var/spool/cron",
  "/var/lib",
  "/opt"
];
var IN_PROJECT = [
  ".git/hooks",
  ".git/config",
  ".git/info/attributes",
  ".claude",
  ".ralph-active",
  "ralph/allowed-commands.txt",
  ".mcp.json"
];
var REMEMBERED = ["ralph-acting-", "ralph-stop-", "ralph-no-node-", "claude-context-alerts-"];
var NOTES = ".claude/rules";
function writesSensitively(path, cwd, context) {
  const resolved = resolvePath(path, cwd, context.home);
  if (resolved === null) return null;
  const { home, project, protectedFolders } = context;
  if (isWithin(resolved, `${project}/${NOTES}`)) return null;
  if (IN_PROJECT.some((each) => isWithin(resolved, `${project}/${each}`)))
    return block(`writes to ${path}, which steers the agent or its harness`);
  if (isWithin(resolved, project)) return null;
  if (protectedFolders.some((folder) => isWithin(resolved, folder)))
    return block(`writes to ${path}, which is the harness’s own`);
  if (isRemembered(resolved)) return block(`writes to ${path}, by which the harness’s hooks remember`);
  if (isHooks(resolved)) return block(`writes to ${path}, which git would run`);
  if (IN_HOME.some((each) => isWithin(resolved, `${home}/${each}`))) return block(`writes to ${path}`);
  if (isWithin(resolved, home)) return null;
  return IN_SYSTEM.some((folder) => isWithin(resolved, folder)) ? systemWrite(path, resolved) : null;
}
function systemWrite(path, resolved) {
  return isWithin(resolved, "/opt") ? warn(`writes to ${path}, outside of the project`) : block(`writes to ${path}, which belongs to the system`);
}
function isRemembered(path) {
  const name = /^(?:\/private)?\/tmp\/([^/]+)$/.exec(path)?.[1];
  if (name === void 0) return false;
  const start = name.split(/[*?[{]/)[0] ?? "";
  const isPattern = start !== name;
  return REMEMBERED.some((file) => name.startsWith(file) || isPattern && start !== "" && file.startsWith(start));
}
function isHooks(path) {
  return /\/\.git\/hooks(?:\/|$)/.test(path);
}

// src/core/guard/plain.ts
var LONGEST = 2e3;
var NOWHERE = `/${UNKNOWN}`;
var TOKEN = /[ \t]+|(?:[12&]?>[ \t]*\/dev\/null|2>&1)(?![^\s;&|])|(?<joint>&&|\|\||[;|\n])|(?:(?<bare>(?:[\w./:@%+,=^-]|(?<=\w)~(?=\d))+)|(?<named>--[a-z-]+=)?(?:'(?<single>[^'\p{Cc}]*)'|"(?<double>[^"$`\\!\p{Cc}]*)"))(?![^\s;&|])/guy;
function isPlainlyHarmless(text, cwd, place) {
  if (text.length > LONGEST || !isWithin(cwd, place.project) || !isOrdinary(place)) return false;
  const commands = commandsIn(text);
  if (commands === null) return false;
  let folder = cwd;
  for (const { words, before, after } of commands) {
    if (words[0] === "cd") {
      if (words.length !== 2 || before === "|" || after !== "&&" || !isOurs(words[1] ?? "", folder, place))
        return false;
      folder = resolvePath(words[1] ?? "", folder, place.home);
    } else if (folder === null || !isHarmless(words, folder, place)) return false;
  }
  return true;
}
function isOrdinary({ home, project }) {
  const isUsual = (path, from) => ["outside", "temporary"].includes(zoneOf(path, null, { home: from, project: NOWHERE }));
  return isUsual(project, home) && (home === "/root" || isUsual(home, NOWHERE));
}
function commandsIn(text) {
  const commands = [];
  let [words, before, read] = [[], "", 0];
  for (const { 0: token, groups = {} } of text.matchAll(TOKEN)) {
    read += token.length;
    const { bare, named = "", single, double, joint } = groups;
    const word = bare ?? single ?? double;
    if (word !== void 0) words.push(named + word);
    else if (joint !== void 0) {
      commands.push({ words, before, after: joint });
      [words, before] = [[], joint];
    }
  }
  commands.push({ words, before, after: "" });
  return read === text.length && commands.every((command) => command.words.length > 0) ? commands : null;
}
var LOOKING = {
  ls: /^-[a-zA-Z1]+$/,
  cat: /^-[AbeEnstTuv]+$/,
  head: /^-(?:[nc]?\d*|[qv]+)$/,
  tail: /^-(?:[nc]?\d*|[qv]+)$/,
  wc: /^-[clmwL]+$/,
  grep: /^-[a-zA-Z]*\d*$|^--(?:include|exclude|exclude-dir)=[^/]*$/,
  rg: /^-[a-zA-Z]*\d*$/,
  sort: /^-[bdfghinruV]+$/,
  cut: /^-[bcdf][\w:,.-]*$/,
  diff: /^-[a-zA-Z]*\d*$/,
  // What it may do is said by its tests, of which these only look.
  find: /^-(?:i?name|i?path|type|maxdepth|mindepth|not|o|size|newer|empty)$/,
  which: /^$/,
  sleep: /^$/,
  pytest: /^-[qvxsk]+$|^--tb=\w+$/
};
var WRITING = { rm: /^-[rRfv]+$/, mkdir: /^-[pv]+$/, touch: /^-[acm]+$/ };
var GIT = /^(?:status|diff|log|show|add|commit|rev-parse|ls-files|blame)$/;
var GIT_OPTION = /^(?:-[aAmnpqsuv]|-am|-\d+|--(?:|all|amend|no-edit|oneline|stat|shortstat|numstat|name-only|name-status|porcelain|short|cached|staged|graph|quiet|no-color|show-toplevel|abbrev-ref|verify|follow|decorate|allow-empty))$/;
var CARGO = /^(?:test|build|check|clippy|fmt)$/;
var CARGO_OPTION = /^--(?:|release|all|workspace|check|all-targets|lib|quiet)$/;
var GO = /^(?:test|build|vet)$/;
var GO_OPTION = /^-(?:v|race|run|short|count=\d+)$/;
var OWN_TOOL = /^(?:vitest|jest|tsc|eslint|biome|prettier)$/;
var SED_LINES = /^-n\n\d+(?:,\d+)?p(?:\n|$)/;
var NPM_SCRIPT = /^(?:test|ci|start|run\n[\w:.-]+)(?:\n(?:-s|--silent))?(?:\n--\n|$)/;
var SCRIPT_OPTION = /^--?[\w-]+(?:=[\w.,:-]*)?$/;
function isHarmless([program = "", ...words], cwd, place) {
  const [first = "", ...rest] = words;
  switch (program) {
    case "true":
    case "pwd":
      return words.length === 0;
    case "echo":
      return true;
    case "git":
      return GIT.test(first) && rest.every((word) => fits(word, GIT_OPTION, cwd, place));
    case "cargo":
      return CARGO.test(first) && rest.every((word) => fits(word, CARGO_OPTION, cwd, place));
    case "go":
      return GO.test(first) && rest.every((word) => fits(word, GO_OPTION, cwd, place));
    case "npx":
      return isOwnTool(first, cwd, place) && rest.every((word) => fits(word, SCRIPT_OPTION, cwd, place));
    case "sed":
      return SED_LINES.test(words.join("\n")) && words.slice(2).every((word) => fits(word, /^$/, cwd, place));
    case "npm":
      return NPM_SCRIPT.test(words.join("\n")) && words.every((word) => fits(word, SCRIPT_OPTION, cwd, place));
    default: {
      const writing = own(WRITING, program);
      if (writing !== null) return words.every((word) => writing.test(word) || isOursToWrite(word, cwd, place));
      const looking = own(LOOKING, program);
      return looking !== null && words.every((word) => fits(word, looking, cwd, place));
    }
  }
}
function fits(word, option, cwd, place) {
  return word.startsWith("-") ? option.test(word) : isOurs(word, cwd, place);
}
function isOwnTool(name, cwd, { project, exists }) {
  return OWN_TOOL.test(name) && [cwd, project].some((folder) => exists(`${folder}/node_modules/.bin/${name}`));
}
function isOurs(word, cwd, place) {
  const path = resolvePath(word, cwd, place.home);
  return path !== null && isWithin(path, place.project) && secrecyOf(word, cwd, place.home) === "public";
}
function isOursToWrite(word, cwd, place) {
  return !/^-|\/release_agent$/.test(word) && zoneOf(word, cwd, place) === "project" && writesSensitively(word, cwd, place) === null;
}
function own(table, name) {
  return Object.hasOwn(table, name) ? table[name] ?? null : null;
}

// src/state/paths.ts
var import_node_path = require("node:path");
function stateRoot(environment) {
  const given = environment.XDG_STATE_HOME ?? "";
  const base = (0, import_node_path.isAbsolute)(given) ? given : (0, import_node_path.join)(environment.HOME || "/", ".local", "state");
  return { path: (0, import_node_path.join)(base, "ralph") };
}

// src/hooks/io/input.ts
var import_node_fs = require("node:fs");
var WAIT_MS = 2;
function readInput() {
  const chunks = [];
  const buffer = Buffer.allocUnsafe(64 * 1024);
  for (; ; ) {
    const bytes = readSome(buffer);
    if (bytes === 0) break;
    chunks.push(Buffer.from(buffer.subarray(0, bytes)));
  }
  const value = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  return value !== null && typeof value === "object" ? value : {};
}
function readSome(buffer) {
  for (; ; ) {
    try {
      return (0, import_node_fs.readSync)(0, buffer);
    } catch (error) {
      const code = error.code;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}

// src/hooks/pre-tool-use.ts
var WRITING_TOOLS = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
var SHELL_TOOLS = ["Bash", "PowerShell", "Monitor"];
function preToolUse() {
  if (process.env.RALPH_GUARD !== "on") return;
  const input = inputOrNothing();
  const deed = deedOf(input);
  if (deed === null) return;
  const folder = (0, import_node_path2.resolve)(textOf(input.cwd) ?? ".");
  const project = (0, import_node_path2.resolve)(process.env.CLAUDE_PROJECT_DIR ?? folder);
  const cwd = asSeenFrom(project, folder);
  const protectedFolders = [stateRoot(process.env).path];
  const place = { home: homeFolder(), project, protectedFolders, exists: import_node_fs2.existsSync };
  if (isNothing(deed, cwd, place)) return;
  const { judgeAndAnswer } = require("./pre-tool-use-judge.cjs");
  judgeAndAnswer(deed, cwd, place);
}
function deedOf(input) {
  const tool = textOf(input.tool_name) ?? "";
  const given = input.tool_input;
  if (given === null || typeof given !== "object") return null;
  const field = (name) => textOf(given[name]);
  if (SHELL_TOOLS.includes(tool)) return { does: "run", what: field("command") ?? "" };
  const what = field("file_path") ?? field("notebook_path");
  if (what === null) return null;
  if (WRITING_TOOLS.includes(tool)) return { does: "write", what };
  return tool === "Read" ? { does: "read", what } : null;
}
function isNothing({ does, what }, cwd, place) {
  switch (does) {
    case "run":
      return isPlainlyHarmless(what, cwd, place);
    case "write":
      return writesSensitively(what, cwd, place) === null;
    case "read":
      return secrecyOf(what, cwd, place.home) === "public";
  }
}
function asSeenFrom(project, cwd) {
  if (cwd === project) return cwd;
  try {
    const inside = (0, import_node_path2.relative)((0, import_node_fs2.realpathSync)(project), (0, import_node_fs2.realpathSync)(cwd));
    return inside.startsWith("..") || (0, import_node_path2.isAbsolute)(inside) ? cwd : (0, import_node_path2.join)(project, inside);
  } catch {
    return cwd;
  }
}
function homeFolder() {
  const home = process.env.HOME;
  return home !== void 0 && (0, import_node_path2.isAbsolute)(home) ? home : require("node:os").homedir();
}
function inputOrNothing() {
  try {
    return readInput();
  } catch {
    return {};
  }
}
function textOf(value) {
  return typeof value === "string" ? value : null;
}
try {
  preToolUse();
} catch (error) {
  (0, import_node_fs2.writeSync)(2, `ralph: the guard could not look at this: ${error instanceof Error ? error.message : String(error)}
`);
  process.exitCode = 1;
}
