"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// src/hooks/pre-tool-use-judge.ts
var pre_tool_use_judge_exports = {};
__export(pre_tool_use_judge_exports, {
  judgeAndAnswer: () => judgeAndAnswer
});
module.exports = __toCommonJS(pre_tool_use_judge_exports);
var import_node_fs = require("node:fs");
var import_node_path = require("node:path");

// src/core/guard/command.ts
var UNKNOWN = "\0";
var UNSEEN_LIST = `${UNKNOWN}*`;
var NOTHING = { text: null, from: [] };
var MOST_SOURCES = 100;
function nearest(commands) {
  return commands.length > MOST_SOURCES ? commands.slice(0, MOST_SOURCES) : commands;
}
function wordsOf(command) {
  return [command.name, ...command.args.map(({ text: text2 }) => text2)];
}
function plainArg(text2) {
  return { text: text2, from: [] };
}
function callersOf(command) {
  return command.outer === null ? [] : [command.outer, ...callersOf(command.outer)];
}

// src/core/guard/run/shell-state.ts
var MOST_STEPS = 2e4;
function newShell(home, project, cwd) {
  const variables = /* @__PURE__ */ new Map([
    ["HOME", home],
    ["PWD", cwd],
    ["CLAUDE_PROJECT_DIR", project],
    ["IFS", " "],
    ["TMPDIR", "/tmp"]
  ]);
  return {
    home,
    project,
    cwd,
    variables,
    aliases: /* @__PURE__ */ new Map(),
    functions: /* @__PURE__ */ new Map(),
    files: /* @__PURE__ */ new Map(),
    found: [],
    budget: { left: MOST_STEPS },
    depth: 0
  };
}
function subshellOf(shell) {
  return { ...shell, variables: new Map(shell.variables) };
}

// src/core/guard/paths.ts
function resolvePath(text2, cwd, home) {
  const path = fromHome(text2, home);
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
function zoneOf(text2, cwd, places) {
  const resolved = resolvePath(text2, cwd, places.home);
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
function isEverythingIn(text2) {
  const last = text2.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return last !== "." && last !== ".." && /[*?]/.test(last) && EVERYTHING.test(last);
}
function withoutEverything(path) {
  const parts = path.split("/");
  while (parts.length > 1 && EVERYTHING.test(parts.at(-1) ?? "")) parts.pop();
  return parts.join("/") || "/";
}
function fromHome(text2, home) {
  if (text2 === "~" || text2.startsWith("~/")) return `${home}${text2.slice(1)}`;
  const [all, user] = /^~([a-z_][\w-]*)(?=\/|$)/.exec(text2) ?? [];
  if (all === void 0 || user === void 0) return text2;
  return `${user === "root" ? "/root" : `/home/${user}`}${text2.slice(all.length)}`;
}
function normalised(path) {
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

// src/core/guard/shell/cursor.ts
var DEEPEST = 60;
function charAt(cursor, offset = 0) {
  return cursor.text.charAt(cursor.at + offset);
}
function isAtEnd(cursor) {
  return cursor.at >= cursor.text.length;
}
function looksAt(cursor, text2) {
  return cursor.text.startsWith(text2, cursor.at);
}
function take(cursor, text2) {
  const isThere = looksAt(cursor, text2);
  if (isThere) cursor.at += text2.length;
  return isThere;
}
function takeUntil(cursor, text2) {
  const end = cursor.text.indexOf(text2, cursor.at);
  const taken = cursor.text.slice(cursor.at, end === -1 ? void 0 : end);
  cursor.at = end === -1 ? cursor.text.length : end + text2.length;
  return taken;
}
function inside(cursor, text2) {
  return { text: text2, at: 0, depth: cursor.depth + 1, awaited: [], script: cursor.script };
}

// src/core/guard/shell/escapes.ts
var NAMED = {
  a: "\x07",
  b: "\b",
  e: "\x1B",
  E: "\x1B",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "	",
  v: "\v"
};
var NUMBERED = /^(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,4}))/;
var LAST_CODE_POINT = 1114111;
function decodeEscapes(text2) {
  let decoded = "";
  for (let at = 0; at < text2.length; at++) {
    const char = text2.charAt(at);
    if (char !== "\\" || at + 1 === text2.length) {
      decoded += char;
      continue;
    }
    const [all, two, four, eight, octal] = NUMBERED.exec(text2.slice(at + 1, at + 10)) ?? [];
    if (all !== void 0) {
      const digits = two ?? four ?? eight;
      decoded += character(digits === void 0 ? Number.parseInt(octal ?? "0", 8) % 256 : Number.parseInt(digits, 16));
      at += all.length;
    } else {
      const next = text2.charAt(at + 1);
      decoded += NAMED[next] ?? next;
      at++;
    }
  }
  return decoded;
}
function character(code) {
  return code === 0 || code > LAST_CODE_POINT ? "" : String.fromCodePoint(code);
}

// src/core/guard/shell/words.ts
var META = " 	\r\n;&|<>()";
var NAME = /^[A-Za-z_]\w*/;
var LONGEST_NAME = 200;
var SPECIAL = "@*#?-$!0123456789";
function readWord(cursor) {
  const units = [];
  while (!isAtEnd(cursor)) {
    const unit = readUnit(cursor, units.at(-1));
    if (unit === null) break;
    units.push(unit);
  }
  return units.length === 0 ? null : units;
}
function readQuoted(cursor, isClosed2 = isAtEnd) {
  const units = [text("", true)];
  while (!isAtEnd(cursor) && !isClosed2(cursor)) {
    if (charAt(cursor) === "\\") units.push(escapedInQuotes(cursor));
    else units.push(readExpansion(cursor, true) ?? plain(cursor, (char) => !'\\"$`'.includes(char), true));
  }
  return units;
}
function readUnit(cursor, before) {
  const char = charAt(cursor);
  if ((looksAt(cursor, "<(") || looksAt(cursor, ">(")) && cursor.depth < DEEPEST) {
    cursor.at += 2;
    return { kind: "process", script: nested(cursor) };
  }
  if (char === "(" && isExtendedGlob(before)) return text(`${takeUntil(cursor, ")")})`, false);
  if (META.includes(char)) return null;
  if (take(cursor, "'")) return text(takeUntil(cursor, "'"), true);
  if (take(cursor, "$'")) return text(decodeEscapes(takeEscaped(cursor, "'")), true);
  if (looksAt(cursor, '$"') || char === '"') {
    cursor.at += char === '"' ? 1 : 2;
    return joined(readQuoted(cursor, (each) => take(each, '"')));
  }
  if (char === "\\") {
    cursor.at += 2;
    const escaped = charAt(cursor, -1);
    return escaped === "\n" ? text("", false) : text(escaped, true);
  }
  return readExpansion(cursor, false) ?? plain(cursor, (each) => !`${META}'"\\$\``.includes(each), false);
}
function joined(word) {
  const texts = word.map((unit) => unit.kind === "text" ? unit.text : null);
  return texts.includes(null) ? { kind: "quoted", word } : text(texts.join(""), true);
}
function readExpansion(cursor, isQuoted) {
  if (take(cursor, "`")) {
    const raw = takeEscaped(cursor, "`").replaceAll(/\\([\\`$])/g, "$1");
    return cursor.depth < DEEPEST ? { kind: "output", script: cursor.script(inside(cursor, raw)), isQuoted } : { kind: "unknown" };
  }
  if (charAt(cursor) !== "$") return null;
  if (take(cursor, "$((")) return readArithmetic(cursor);
  if (take(cursor, "$(")) {
    if (cursor.depth < DEEPEST) return { kind: "output", script: nested(cursor), isQuoted };
    cursor.at = cursor.text.length;
    return { kind: "unknown" };
  }
  if (take(cursor, "${")) return braced(cursor, isQuoted);
  const name = nameAt(cursor, 1) ?? (charAt(cursor, 1) !== "" && SPECIAL.includes(charAt(cursor, 1)) ? charAt(cursor, 1) : null);
  cursor.at += 1 + (name?.length ?? 0);
  return name === null ? text("$", true) : { kind: "variable", name, change: null, isQuoted: isQuoted && name !== "@" };
}
function nested(cursor) {
  cursor.depth++;
  const script = cursor.script(cursor);
  cursor.depth--;
  take(cursor, ")");
  return script;
}
function braced(cursor, isQuoted) {
  const raw = takeBraced(cursor);
  const prefix = raw.startsWith("!") || raw.startsWith("#") && raw.length > 1 ? 1 : 0;
  const inner = inside(cursor, raw.slice(prefix));
  const name = nameAt(inner, 0) ?? inner.text.charAt(0);
  inner.at = name.length;
  const isList = take(inner, "[@]") || take(inner, "[*]") || name === "@";
  return { kind: "variable", name, change: prefix === 1 ? "unknown" : changeOf(inner), isQuoted: isQuoted && !isList };
}
function changeOf(inner) {
  if (isAtEnd(inner)) return null;
  take(inner, ":");
  const operator = charAt(inner);
  inner.at++;
  if (operator === "" || !"-=+".includes(operator) || inner.depth >= DEEPEST) return "unknown";
  return { operator: operator === "+" ? "alternative" : "fallback", word: readQuoted(inner) };
}
function takeBraced(cursor) {
  const start = cursor.at;
  for (let open = 1; !isAtEnd(cursor); cursor.at++) {
    const char = charAt(cursor);
    if (char === "\\") cursor.at++;
    else if (char === "{") open++;
    else if (char === "}" && --open === 0) return cursor.text.slice(start, cursor.at++);
  }
  return cursor.text.slice(start);
}
function readArithmetic(cursor) {
  const start = cursor.at;
  let open = 2;
  for (; !isAtEnd(cursor) && open > 0; cursor.at++) {
    if (charAt(cursor) === "(") open++;
    if (charAt(cursor) === ")") open--;
  }
  const inner = cursor.text.slice(start, cursor.at - 2);
  const speaks = (inner.includes("$(") || inner.includes("`")) && cursor.depth < DEEPEST;
  return speaks ? { kind: "quoted", word: [...readQuoted(inside(cursor, inner)), { kind: "unknown" }] } : { kind: "unknown" };
}
function escapedInQuotes(cursor) {
  const next = charAt(cursor, 1);
  cursor.at += 2;
  if (next === "\n") return text("", true);
  return text(next !== "" && '$`"\\'.includes(next) ? next : `\\${next}`, true);
}
function plain(cursor, belongs, isQuoted) {
  const start = cursor.at;
  for (cursor.at++; !isAtEnd(cursor) && belongs(charAt(cursor)); cursor.at++) ;
  return text(cursor.text.slice(start, cursor.at), isQuoted);
}
function isExtendedGlob(before) {
  return before?.kind === "text" && !before.isQuoted && /.!$|[?*+@]$/.test(before.text);
}
function nameAt(cursor, offset) {
  const start = cursor.at + offset;
  return NAME.exec(cursor.text.slice(start, start + LONGEST_NAME))?.[0] ?? null;
}
function takeEscaped(cursor, end) {
  const start = cursor.at;
  while (!isAtEnd(cursor) && charAt(cursor) !== end) cursor.at += charAt(cursor) === "\\" ? 2 : 1;
  const taken = cursor.text.slice(start, cursor.at);
  cursor.at++;
  return taken;
}
function text(value, isQuoted) {
  return { kind: "text", text: value, isQuoted };
}

// src/core/guard/shell/assignments.ts
var HEAD = /^([A-Za-z_]\w*)(?:\[[^\]\n]*\])?\+?=/;
var LONGEST_HEAD = 200;
function readAssignment(cursor) {
  const [head, name] = HEAD.exec(cursor.text.slice(cursor.at, cursor.at + LONGEST_HEAD)) ?? [];
  if (head === void 0 || name === void 0) return null;
  cursor.at += head.length;
  return { name, value: take(cursor, "(") ? readArray(cursor) : readWord(cursor) ?? [] };
}
function readArray(cursor) {
  const units = [];
  while (!isAtEnd(cursor) && !take(cursor, ")")) {
    const word = readWord(cursor);
    if (word === null) cursor.at++;
    else units.push(...units.length === 0 ? [] : [space()], ...word);
    while (charAt(cursor) === " ") cursor.at++;
  }
  return units;
}
function literalOf(word) {
  return word.map((unit) => unit.kind === "text" ? unit.text : "").join("");
}
function isWord(word, text2) {
  return word.every((unit) => unit.kind === "text" && !unit.isQuoted) && literalOf(word) === text2;
}
function space() {
  return { kind: "text", text: " ", isQuoted: true };
}

// src/core/guard/shell/redirections.ts
var OPERATOR = /^(?:\d*|\{\w+\})(&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)/;
var LONGEST_OPERATOR = 40;
function readRedirection(cursor) {
  if (!"<>&{0123456789".includes(charAt(cursor)) || isAtEnd(cursor)) return null;
  const [all = "", operator] = OPERATOR.exec(cursor.text.slice(cursor.at, cursor.at + LONGEST_OPERATOR)) ?? [];
  if (operator === void 0 || all.length === 1 && charAt(cursor, 1) === "(") return null;
  cursor.at += all.length;
  while (charAt(cursor) === " " || charAt(cursor) === "	") cursor.at++;
  const target = readWord(cursor) ?? [];
  const redirection = { operator, target, body: null };
  if (operator === "<<" || operator === "<<-") {
    const isRaw = target.some((unit) => unit.kind !== "text" || unit.isQuoted);
    const delimiter = target.map((unit) => unit.kind === "text" ? unit.text : "").join("");
    cursor.awaited.push({ redirection, delimiter, isRaw });
  }
  return redirection;
}
function readHereDocuments(cursor) {
  for (const { redirection, delimiter, isRaw } of cursor.awaited.splice(0)) {
    const lines = [];
    while (!isAtEnd(cursor)) {
      const line = takeLine(cursor);
      const bare = redirection.operator === "<<-" ? line.replace(/^\t+/, "") : line;
      if (bare.replace(/\r$/, "") === delimiter) break;
      lines.push(`${bare}
`);
    }
    redirection.body = bodyOf(cursor, lines.join(""), isRaw);
  }
}
function bodyOf(cursor, text2, isRaw) {
  const literal = { kind: "text", text: text2, isQuoted: true };
  const speaks = text2.includes("$") || text2.includes("`") || text2.includes("\\");
  return isRaw || !speaks ? [literal] : readQuoted(inside(cursor, text2));
}
function takeLine(cursor) {
  const end = cursor.text.indexOf("\n", cursor.at);
  const line = cursor.text.slice(cursor.at, end === -1 ? void 0 : end);
  cursor.at = end === -1 ? cursor.text.length : end + 1;
  if (looksAt(cursor, ")") && end === -1) cursor.at++;
  return line;
}

// src/core/guard/shell/spaces.ts
function isWordNext(cursor, word) {
  if (!looksAt(cursor, word)) return false;
  const after = charAt(cursor, word.length);
  return after === "" || " 	\r\n;&|()<>".includes(after);
}
function takeWord(cursor, word) {
  const isNext = isWordNext(cursor, word);
  if (isNext) cursor.at += word.length;
  return isNext;
}
function skipSeparators(cursor) {
  do
    skipBlank(cursor);
  while (!looksAt(cursor, ";;") && take(cursor, ";"));
}
function skipBlank(cursor) {
  for (; ; ) {
    skipSpaces(cursor);
    if (!take(cursor, "\n")) return;
    readHereDocuments(cursor);
  }
}
function skipSpaces(cursor) {
  for (; ; ) {
    const char = charAt(cursor);
    if (char !== "" && " 	\r".includes(char)) cursor.at++;
    else if (looksAt(cursor, "\\\n")) cursor.at += 2;
    else if (char === "#") {
      const end = cursor.text.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? cursor.text.length : end;
    } else return;
  }
}

// src/core/guard/shell/parse.ts
function parse(text2, depth = 0) {
  const cursor = { text: text2.replaceAll("\0", ""), at: 0, depth, awaited: [], script: readScript };
  const items = [];
  while (!isAtEnd(cursor)) {
    items.push(...readList(cursor, false));
    if (!isAtEnd(cursor)) skipStray(cursor);
  }
  return items;
}
function readScript(cursor) {
  return readList(cursor, false);
}
var CLOSERS = ["then", "do", "done", "fi", "elif", "else", "esac", "}"];
var PREFIXES = ["!", "time", "coproc", "then", "do", "else", "elif"];
function readList(cursor, isInside) {
  const items = [];
  for (; ; ) {
    skipBlank(cursor);
    if (isAtEnd(cursor) || charAt(cursor) === ")" || looksAt(cursor, ";;")) return items;
    if (isInside && CLOSERS.some((word) => isWordNext(cursor, word))) return items;
    if (take(cursor, ";") || take(cursor, "&&") || take(cursor, "||") || take(cursor, "|") || take(cursor, "&"))
      continue;
    const before = cursor.at;
    const node = readPipeline(cursor);
    if (node !== null) items.push({ node, isBackground: isBackgroundNext(cursor) });
    else if (cursor.at === before) return items;
  }
}
function readPipeline(cursor) {
  const parts = [];
  do {
    skipBlank(cursor);
    const part = readCommand(cursor);
    if (part !== null) parts.push(part);
    skipSpaces(cursor);
  } while (!looksAt(cursor, "||") && (take(cursor, "|&") || take(cursor, "|")));
  const [only, ...others] = parts;
  if (only === void 0) return null;
  return others.length === 0 ? only : { kind: "pipeline", parts };
}
function readCommand(cursor) {
  while (PREFIXES.some((word) => takeWord(cursor, word))) skipSpaces(cursor);
  if (cursor.depth >= DEEPEST) {
    cursor.at = cursor.text.length;
    return null;
  }
  cursor.depth++;
  const node = readCompound(cursor) ?? readSimple(cursor);
  cursor.depth--;
  return node;
}
function readCompound(cursor) {
  const start = cursor.at;
  const source = () => cursor.text.slice(start, cursor.at);
  if (take(cursor, "((")) {
    return { kind: "branches", bodies: [heard(readArithmetic(cursor))], redirections: [] };
  }
  if (take(cursor, "(")) {
    const body = readList(cursor, false);
    take(cursor, ")");
    return { kind: "group", body, isSubshell: true, redirections: readRedirections(cursor) };
  }
  if (takeWord(cursor, "{")) {
    const body = readList(cursor, true);
    takeWord(cursor, "}");
    return { kind: "group", body, isSubshell: false, redirections: readRedirections(cursor) };
  }
  if (takeWord(cursor, "if")) return readBranches(cursor, "fi");
  if (takeWord(cursor, "case")) return readCase(cursor);
  if (takeWord(cursor, "for") || takeWord(cursor, "select")) return readFor(cursor, source);
  if (takeWord(cursor, "while") || takeWord(cursor, "until")) {
    const condition = readList(cursor, true);
    return readLoopBody(cursor, { variable: null, items: [], condition }, source);
  }
  if (takeWord(cursor, "function")) {
    skipSpaces(cursor);
    const name = literalOf(readWord(cursor) ?? []);
    skipSpaces(cursor);
    if (take(cursor, "(")) take(cursor, ")");
    return readFunction(cursor, name, source);
  }
  return null;
}
function readBranches(cursor, end) {
  const bodies = [];
  while (!isAtEnd(cursor) && !takeWord(cursor, end)) {
    const before = cursor.at;
    bodies.push(readList(cursor, true));
    if (!["then", "elif", "else"].some((word) => takeWord(cursor, word)) && cursor.at === before) break;
    if (!looksAt(cursor, end) && isClosed(cursor)) break;
  }
  return { kind: "branches", bodies, redirections: readRedirections(cursor) };
}
function isClosed(cursor) {
  return charAt(cursor) === ")" || looksAt(cursor, ";;") || ["done", "esac", "}"].some((word) => isWordNext(cursor, word));
}
function readCase(cursor) {
  const bodies = [];
  skipSpaces(cursor);
  const subject = readWord(cursor);
  skipBlank(cursor);
  takeWord(cursor, "in");
  for (; ; ) {
    skipBlank(cursor);
    if (isAtEnd(cursor) || takeWord(cursor, "esac")) break;
    const before = cursor.at;
    take(cursor, "(");
    takePattern(cursor);
    bodies.push(readList(cursor, true));
    for (const end of [";;&", ";;", ";&"]) if (take(cursor, end)) break;
    if (cursor.at === before) cursor.at++;
  }
  return { kind: "branches", bodies: [heard(...subject ?? []), ...bodies], redirections: readRedirections(cursor) };
}
function heard(...units) {
  const colon = [{ kind: "text", text: ":", isQuoted: true }];
  return [{ node: simple(units.length === 0 ? [colon] : [colon, units], ""), isBackground: false }];
}
function takePattern(cursor) {
  while (!isAtEnd(cursor) && !take(cursor, ")")) {
    if (readWord(cursor) === null) cursor.at++;
  }
}
function readFor(cursor, source) {
  skipSpaces(cursor);
  if (take(cursor, "((")) {
    return readLoopBody(cursor, { variable: null, items: [], condition: heard(readArithmetic(cursor)) }, source);
  }
  const variable = literalOf(readWord(cursor) ?? []);
  skipBlank(cursor);
  const items = [];
  if (takeWord(cursor, "in")) {
    for (skipSpaces(cursor); !isAtEnd(cursor); skipSpaces(cursor)) {
      const word = readWord(cursor);
      if (word === null) break;
      items.push(word);
    }
  }
  return readLoopBody(cursor, { variable, items, condition: [] }, source);
}
function readLoopBody(cursor, head, source) {
  skipSeparators(cursor);
  takeWord(cursor, "do");
  const body = readList(cursor, true);
  takeWord(cursor, "done");
  return { kind: "loop", ...head, body, redirections: readRedirections(cursor), source: source() };
}
function readFunction(cursor, name, source) {
  skipBlank(cursor);
  const body = readCommand(cursor) ?? simple([], "");
  return { kind: "function", name, body, source: source() };
}
function readSimple(cursor) {
  const start = cursor.at;
  const source = () => cursor.text.slice(start, cursor.at).trim();
  const assignments = [];
  const words = [];
  const redirections = [];
  const isTest = isWordNext(cursor, "[[");
  for (; ; ) {
    skipSpaces(cursor);
    const redirection = isTest ? null : readRedirection(cursor);
    if (redirection !== null) {
      redirections.push(redirection);
      continue;
    }
    const assignment = words.length === 0 ? readAssignment(cursor) : null;
    if (assignment !== null) {
      assignments.push(assignment);
      continue;
    }
    const word = readWord(cursor);
    if (word !== null) {
      words.push(word);
      if (isTest && isWord(word, "]]")) break;
      if (words.length === 1 && !isTest && isFunctionHead(cursor)) {
        return readFunction(cursor, literalOf(word), source);
      }
    } else if (isTest && !isAtEnd(cursor)) cursor.at++;
    else break;
  }
  if (words.length + assignments.length + redirections.length === 0) return null;
  return { kind: "simple", assignments, words, redirections, source: source() };
}
function isFunctionHead(cursor) {
  const [head] = /^[ \t]*\([ \t]*\)/.exec(cursor.text.slice(cursor.at, cursor.at + 20)) ?? [];
  cursor.at += head?.length ?? 0;
  return head !== void 0;
}
function readRedirections(cursor) {
  const found = [];
  for (; ; ) {
    skipSpaces(cursor);
    const redirection = readRedirection(cursor);
    if (redirection === null) return found;
    found.push(redirection);
  }
}
function simple(words, source) {
  return { kind: "simple", assignments: [], words, redirections: [], source };
}
function isBackgroundNext(cursor) {
  skipSpaces(cursor);
  return charAt(cursor) === "&" && charAt(cursor, 1) !== "&";
}
function skipStray(cursor) {
  if (!CLOSERS.some((word) => takeWord(cursor, word))) cursor.at++;
}

// src/core/guard/options.ts
var SHORTEST_LONG = 3;
function readOptions(args, shape = {}) {
  const given = [];
  const operands = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === void 0) break;
    if (arg.text === "--" || shape.isPrefix === true && !isOption(arg.text)) {
      operands.push(...args.slice(arg.text === "--" ? at + 1 : at));
      break;
    }
    if (!isOption(arg.text)) operands.push(arg);
    else at += takeOption(arg, args[at + 1] ?? null, shape, given);
  }
  return {
    operands,
    has: (...names) => given.some(({ name }) => names.some((wanted) => isSame(name, wanted))),
    values: (...names) => given.flatMap(
      ({ name, value }) => value !== null && names.some((wanted) => isSame(name, wanted)) ? [value] : []
    )
  };
}
function isOption(text2) {
  return text2.length > 1 && text2.startsWith("-");
}
function takeOption(arg, next, shape, given) {
  const isLong = arg.text.startsWith("--") || shape.isSingleDash === true;
  if (isLong) {
    const [, name = "", value] = /^--?([^=]*)(?:=(.*))?$/s.exec(arg.text) ?? [];
    const takes = value === void 0 && (shape.names ?? []).includes(name);
    given.push({ name, value: value === void 0 ? takes ? next : null : { text: value, from: arg.from } });
    return takes ? 1 : 0;
  }
  for (let at = 1; at < arg.text.length; at++) {
    const name = arg.text.charAt(at);
    if (!(shape.letters ?? "").includes(name)) {
      given.push({ name, value: null });
      continue;
    }
    const rest = arg.text.slice(at + 1);
    given.push({ name, value: rest === "" ? next : { text: rest, from: arg.from } });
    return rest === "" ? 1 : 0;
  }
  return 0;
}
function isSame(name, wanted) {
  return name === wanted || name.length >= SHORTEST_LONG && wanted.length > 1 && wanted.startsWith(name);
}

// src/core/guard/run/effects.ts
var DECLARING = ["export", "declare", "typeset", "local", "readonly"];
var WRITING = [">", ">>", ">|", "&>", "&>>"];
function remember(command, shell, output) {
  if (command.name === "cd" || command.name === "pushd") changeFolder(command, shell);
  if (command.name === "popd") shell.cwd = null;
  if (DECLARING.includes(command.name)) for (const { text: text2 } of command.args) define(text2, shell.variables);
  if (command.name === "alias") for (const { text: text2 } of command.args) define(text2, shell.aliases);
  if (command.name === "unset") for (const { text: text2 } of command.args) shell.variables.delete(text2);
  if (command.name === "read") for (const { text: text2 } of command.args) shell.variables.delete(text2);
  for (const { operator, target } of command.redirections) {
    if (WRITING.includes(operator)) write(target.text, command, shell, output);
  }
  for (const path of writtenByName(command)) write(path, command, shell, { text: output.text, from: output.from });
}
function changeFolder(command, shell) {
  const [target] = readOptions(command.args).operands;
  const to = target === void 0 ? shell.home : target.text;
  shell.cwd = to === "-" ? null : resolvePath(to, shell.cwd, shell.home);
  if (shell.cwd === null) shell.variables.delete("PWD");
  else shell.variables.set("PWD", shell.cwd);
}
function define(text2, names) {
  const at = text2.indexOf("=");
  if (at > 0) names.set(text2.slice(0, at), text2.slice(at + 1));
}
function write(path, command, shell, output) {
  const resolved = resolvePath(path, command.cwd, shell.home);
  if (resolved !== null) shell.files.set(resolved, output);
}
function writtenByName(command) {
  switch (command.name) {
    case "tee":
      return readOptions(command.args).operands.map(({ text: text2 }) => text2);
    case "curl": {
      const options = readOptions(command.args, { letters: "oHdXAuFTeb", names: ["output", "header", "data"] });
      const named2 = options.values("o", "output").map(({ text: text2 }) => text2);
      return options.has("O", "remote-name") ? [...named2, ...options.operands.map(({ text: text2 }) => lastPart(text2))] : named2;
    }
    case "wget": {
      const options = readOptions(command.args, { letters: "OP", names: ["output-document"] });
      const named2 = options.values("O", "output-document").map(({ text: text2 }) => text2);
      return named2.length > 0 ? named2 : options.operands.map(({ text: text2 }) => lastPart(text2));
    }
    default:
      return [];
  }
}
function lastPart(url) {
  return url.replace(/[?#].*$/, "").split("/").at(-1) ?? "";
}

// src/core/guard/run/exhaustion.ts
var FORK_BOMB = "(fork bomb)";
var ENDLESS_FORK = "(endless fork)";
function isForkBomb({ name, body }) {
  return multiplies(body, name, false);
}
function isEndlessFork({ condition, items, variable, body }) {
  if (items.length > 0 || variable !== null || !condition.every(({ node }) => isAlwaysTrue(node))) return false;
  if (condition.length === 0) return false;
  return body.some(({ isBackground }) => isBackground) && !body.some(({ node }) => isCallOf(node, ["wait", "sleep", "read", "break"]));
}
function multiplies(node, name, isMany) {
  switch (node.kind) {
    case "simple":
      return isMany && isCallOf(node, [name]);
    case "pipeline":
      return node.parts.some((part) => multiplies(part, name, true));
    case "group":
      return multipliesIn(node.body, name, isMany);
    case "loop":
      return multipliesIn(node.body, name, isMany);
    case "branches":
      return node.bodies.some((body) => multipliesIn(body, name, isMany));
    case "function":
      return false;
  }
}
function multipliesIn(script, name, isMany) {
  return script.some(({ node, isBackground }) => multiplies(node, name, isMany || isBackground));
}
function isAlwaysTrue(node) {
  return node.kind === "simple" && node.words.length === 1 && isCallOf(node, ["true", ":"]);
}
function isCallOf(node, names) {
  if (node.kind !== "simple") return false;
  const first = node.words[0]?.map((unit) => unit.kind === "text" ? unit.text : "").join("");
  return first !== void 0 && names.includes(first);
}

// src/core/guard/run/braces.ts
var MOST = 64;
var LONGEST = 2e3;
function expandBraces(word) {
  if (!word.some((unit) => unit.kind === "text" && !unit.isQuoted && unit.text.includes("{"))) return [word];
  const units = word.flatMap(charactersOf);
  return units.length > LONGEST ? [word] : expand(units).slice(0, MOST);
}
function expand(units) {
  const group = firstGroup(units);
  if (group === null) return [units];
  const before = units.slice(0, group.start);
  const after = units.slice(group.end + 1);
  const all = [];
  for (const choice of group.choices) {
    if (all.length >= MOST) break;
    all.push(...expand([...before, ...choice, ...after]));
  }
  return all;
}
function firstGroup(units) {
  for (let start = 0; start < units.length; start++) {
    if (!isMark(units[start], "{")) continue;
    const group = groupAt(units, start);
    if (group !== null) return group;
  }
  return null;
}
function groupAt(units, start) {
  const cuts = [];
  let open = 0;
  for (let at = start; at < units.length; at++) {
    if (isMark(units[at], "{")) open++;
    else if (isMark(units[at], ",") && open === 1) cuts.push(at);
    else if (isMark(units[at], "}") && --open === 0) {
      if (cuts.length === 0) return null;
      const borders = [start, ...cuts, at];
      const choices = borders.slice(1).map((border, index) => units.slice((borders[index] ?? 0) + 1, border));
      return { start, end: at, choices };
    }
  }
  return null;
}
function isMark(unit, mark) {
  return unit?.kind === "text" && !unit.isQuoted && unit.text === mark;
}
function charactersOf(unit) {
  if (unit.kind !== "text" || unit.isQuoted) return [unit];
  return [...unit.text].map((text2) => ({ kind: "text", text: text2, isQuoted: false }));
}

// src/core/guard/run/expand.ts
var LONGEST_EXPANSION = 4e3;
function expandWord(word, shell, listen) {
  return expandBraces(word).flatMap((each) => fieldsOf(each.flatMap((unit) => piecesOf(unit, shell, listen))));
}
function expandWhole(word, shell, listen) {
  const pieces = word.flatMap((unit) => piecesOf(unit, shell, listen));
  return {
    text: bounded(pieces).map(({ text: text2 }) => text2).join(""),
    from: nearest(pieces.flatMap(({ from }) => from))
  };
}
function piecesOf(unit, shell, listen) {
  switch (unit.kind) {
    case "text":
      return [{ text: unit.text, isLiteral: true, isQuoted: true, from: [] }];
    case "quoted": {
      const { text: text2, from } = expandWhole(unit.word, shell, listen);
      const isList = unit.word.some((each) => each.kind === "variable" && !each.isQuoted);
      return [{ text: text2, isQuoted: !isList, from }];
    }
    case "variable": {
      const { text: text2, from } = variableValue(unit, shell, listen);
      return [{ text: text2, isQuoted: unit.isQuoted, from }];
    }
    case "output": {
      const { text: text2, from } = listen(unit.script);
      return [{ text: text2?.replace(/\n+$/, "") ?? UNKNOWN, isQuoted: unit.isQuoted, from }];
    }
    case "process":
      return [{ text: "/dev/fd/63", isQuoted: true, from: listen(unit.script).from }];
    case "unknown":
      return [{ text: UNKNOWN, isQuoted: true, from: [] }];
  }
}
function variableValue(unit, shell, listen) {
  const known = shell.variables.get(unit.name);
  if (unit.change === null) return { text: known ?? UNKNOWN, from: [] };
  if (unit.change === "unknown") return { text: UNKNOWN, from: [] };
  const other = expandWhole(unit.change.word, shell, listen);
  if (unit.change.operator === "alternative") return other;
  return known === void 0 ? other : { text: known, from: other.from };
}
function bounded(pieces) {
  let left = LONGEST_EXPANSION;
  return pieces.map((piece) => {
    if (piece.isLiteral === true) return piece;
    left -= piece.text.length;
    return left >= 0 ? piece : { ...piece, text: UNKNOWN };
  });
}
function fieldsOf(pieces) {
  const fields = [];
  let open = null;
  for (const { text: text2, isQuoted, from } of bounded(pieces)) {
    const parts = isQuoted ? [text2] : text2.split(/\s+/);
    for (const [index, part] of parts.entries()) {
      if (index > 0) open = null;
      if (part === "" && !isQuoted) continue;
      if (open === null) {
        open = { text: "", from: [] };
        fields.push(open);
      }
      open.text += part;
      open.from = nearest([...open.from, ...from]);
    }
  }
  return fields;
}

// src/core/guard/run/output.ts
var DECODE = ["d", "D", "decode"];
function printedBy(command, shell) {
  const texts = command.args.map(({ text: text2 }) => text2);
  switch (command.name) {
    case "echo":
      return echoed(texts);
    case "printf":
      return printed(texts);
    case "pwd":
      return command.cwd;
    case "cat":
      return concatenated(command, shell);
    case "tee":
      return command.input.text;
    case "base64":
      return readOptions(command.args).has(...DECODE) ? decodedBase64(command.input.text) : null;
    case "xxd":
      return readOptions(command.args).has("r") ? decodedHex(command.input.text) : null;
    case "git":
      return texts.join(" ") === "rev-parse --show-toplevel" ? shell.project : null;
    default:
      return null;
  }
}
function echoed(texts) {
  let at = 0;
  let decodes = false;
  for (; /^-[neE]+$/.test(texts[at] ?? ""); at++) if (texts[at]?.includes("e") === true) decodes = true;
  const text2 = texts.slice(at).join(" ");
  return `${decodes ? decodeEscapes(text2) : text2}
`;
}
function printed([format = "", ...values]) {
  let at = 0;
  return decodeEscapes(format).replaceAll(/%(%|[-+ #0]*[\d.*]*([a-zA-Z]))/g, (_all, kind, letter) => {
    if (kind === "%") return "%";
    const value = values[at++] ?? "";
    return letter === "b" ? decodeEscapes(value) : value;
  });
}
function concatenated(command, shell) {
  const { operands } = readOptions(command.args);
  if (operands.length === 0) return command.input.text;
  const texts = operands.map(({ text: text2 }) => {
    if (text2 === "-") return command.input.text;
    const path = resolvePath(text2, command.cwd, shell.home);
    return path === null ? null : shell.files.get(path)?.text ?? null;
  });
  return texts.includes(null) ? null : texts.join("");
}
function decodedBase64(text2) {
  if (text2 === null || text2.includes(UNKNOWN)) return null;
  try {
    return atob(text2.replaceAll(/\s/g, ""));
  } catch {
    return null;
  }
}
function decodedHex(text2) {
  const digits = text2?.replaceAll(/\s/g, "") ?? "";
  if (!/^(?:[\da-f]{2})+$/i.test(digits)) return null;
  return decodeEscapes(digits.replaceAll(/../g, String.raw`\x$&`));
}

// src/core/guard/run/program-name.ts
var HIDDEN = ["rm", "dd", "sh", "bash", "shred", "chmod", "chown", "curl", "wget", "nc", "mv", "cat", "tee", "sudo"];
var LONGEST_PATTERN = 12;
function nameOfProgram(program) {
  const name = program.split("/").at(-1) ?? "";
  if (!program.includes("/") || !/[*?[]/.test(name)) return name;
  const pattern = name.replaceAll(/\[[^\]]+\]/g, "?").replaceAll(/\*+/g, "*");
  if (pattern.length > LONGEST_PATTERN) return name;
  return HIDDEN.find((each) => fits(pattern, each)) ?? name;
}
function fits(pattern, name) {
  const [first] = pattern;
  if (first === void 0) return name === "";
  if (first === "*") return fits(pattern.slice(1), name) || name !== "" && fits(pattern, name.slice(1));
  return name !== "" && (first === "?" || first === name[0]) && fits(pattern.slice(1), name.slice(1));
}

// src/core/guard/run/find.ts
var MOST_ACTIONS = 8;
var MOST_STARTS = 16;
var EXECUTE = ["-exec", "-execdir", "-ok", "-okdir"];
var FILTERS = /^-(?:i?name|i?path|i?regex|i?wholename|[acm]?newer\w*|[acm](?:time|min)|size|empty|user|group|perm|links|inum)$/;
function commandsOfFind(command) {
  const texts = command.args.map(({ text: text2 }) => text2);
  const targets = targetsOfFind(command);
  const inner = texts.includes("-delete") ? targets.map(({ text: text2 }) => call(["rm", "-rf", "--", text2].map(plainArg))) : [];
  const places = texts.flatMap((text2, at) => EXECUTE.includes(text2) ? [at] : []);
  for (const at of places.slice(0, MOST_ACTIONS)) {
    const rest = command.args.slice(at + 1);
    const end = rest.findIndex((arg) => arg.text === ";" || arg.text === "+");
    const template = recursive(end === -1 ? rest : rest.slice(0, end));
    for (const target of targets) inner.push(call(template.map((arg) => replaced(arg, "{}", target.text))));
  }
  return inner;
}
function targetsOfFind(command) {
  const end = command.args.findIndex(({ text: text2 }) => /^[-(!]/.test(text2) && !/^-[HLPOD]/.test(text2));
  const starts = command.args.slice(0, end === -1 ? void 0 : end).filter(({ text: text2 }) => !text2.startsWith("-"));
  const tests = end === -1 ? [] : command.args.slice(end).map(({ text: text2 }) => text2);
  const found = foundBy(tests);
  return (starts.length === 0 ? [plainArg(".")] : starts.slice(0, MOST_STARTS)).map(({ text: text2, from }) => ({
    text: `${text2}${found}`,
    from
  }));
}
function foundBy(tests) {
  const wanted = tests.filter((_, at) => !isNegated(tests, at) && !isNegated(tests, at - 1));
  const names = wanted.flatMap((text2, at) => /^-i?name$/.test(text2) ? [wanted[at + 1] ?? ""] : []);
  const [name] = names;
  if (names.length === 1 && name !== void 0) return `/${name}`;
  return wanted.some((text2) => FILTERS.test(text2)) ? "/some-file" : "";
}
function isNegated(tests, at) {
  return ["!", "-not"].includes(tests[at - 1] ?? "") && FILTERS.test(tests[at] ?? "");
}
function recursive(template) {
  const [first, ...rest] = template;
  return first?.text.split("/").at(-1) === "rm" ? [first, plainArg("-r"), ...rest] : template;
}
function replaced(arg, mark, value) {
  return { text: arg.text.replaceAll(mark, () => value), from: arg.from };
}
function call(args) {
  return { kind: "call", args };
}

// src/core/guard/run/git-commands.ts
function gitOptions(command) {
  return readOptions(command.args, {
    letters: "Cc",
    names: ["git-dir", "work-tree", "namespace", "exec-path", "config-env"],
    isPrefix: true
  });
}
function commandsInGit(command) {
  const options = gitOptions(command);
  const [subcommand, ...rest] = options.operands;
  const texts = rest.map(({ text: text2 }) => text2);
  const inner = options.values("c").flatMap(({ text: text2 }) => aliasIn(text2.slice(text2.indexOf("=") + 1)));
  switch (subcommand?.text) {
    case "config":
      return [...inner, ...texts.flatMap(aliasIn)];
    case "submodule": {
      const at = texts.indexOf("foreach");
      const words = readOptions(rest.slice(at + 1), { isPrefix: true }).operands;
      return at === -1 ? inner : [...inner, { kind: "text", text: words.map(({ text: text2 }) => text2).join(" "), cwd: null }];
    }
    case "bisect":
      return texts[0] === "run" ? [...inner, { kind: "call", args: rest.slice(1) }] : inner;
    case "rebase": {
      const given = readOptions(rest, { letters: "x", names: ["exec"] }).values("x", "exec");
      return [...inner, ...given.map(({ text: text2 }) => ({ kind: "text", text: text2 }))];
    }
    default:
      return inner;
  }
}
function aliasIn(value) {
  return value.startsWith("!") ? [{ kind: "text", text: value.slice(1) }] : [];
}

// src/core/guard/run/shells.ts
var SHELLS = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash"];
var INTERPRETERS = ["python", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "osascript", "tclsh"];
function isShell(name) {
  return SHELLS.includes(name);
}
function isInterpreter(name) {
  return INTERPRETERS.includes(name.replace(/[\d.]+$/, ""));
}
function scriptOfShell(command, shell) {
  const isSourced = !isShell(command.name);
  const options = shellOptions(command);
  const [first, ...others] = options.operands;
  const parameters = [first, ...others].map((arg) => arg?.text ?? "");
  if (!isSourced && options.has("c")) {
    return first === void 0 ? [] : [{ kind: "text", text: first.text, parameters: parameters.slice(1) }];
  }
  if (readsInput(options)) return command.input.text === null ? [] : [{ kind: "text", text: command.input.text }];
  const path = resolvePath(first?.text ?? "", command.cwd, shell.home);
  const text2 = path === null ? null : shell.files.get(path)?.text ?? null;
  return text2 === null ? [] : [{ kind: "text", text: text2, parameters, isSameShell: isSourced }];
}
function programFlow(command, files) {
  if (command.name === "eval") return flowOf(command.args);
  const isSourced = command.name === "source" || command.name === ".";
  if (!isShell(command.name) && !isSourced && !isInterpreter(command.name)) {
    return command.program.includes("/") ? files(command.program) : null;
  }
  const options = shellOptions(command);
  const [first] = options.operands;
  if (isInterpreter(command.name)) {
    const given = options.values("c", "e", "r", "eval");
    if (given.length > 0) return flowOf(given);
    if (options.has("m")) return null;
  } else if (!isSourced && options.has("c")) return first === void 0 ? null : flowOf([first]);
  if (!isSourced && readsInput(options)) return command.input;
  if (first === void 0) return null;
  return first.from.length > 0 ? flowOf([first]) : files(first.text);
}
function shellOptions(command) {
  const letters = isInterpreter(command.name) ? "cerIWX" : "Oo";
  return readOptions(command.args, { letters, names: ["rcfile", "init-file", "eval"], isPrefix: true });
}
function readsInput(options) {
  const [first] = options.operands;
  return first === void 0 || options.has("s") || first.text === "-" || first.text === "/dev/stdin";
}
function flowOf(args) {
  return { text: null, from: args.flatMap(({ from }) => from) };
}

// src/core/guard/run/inline-code.ts
var SHELL_CALLS = /\b(?:os\.system|os\.popen|os\.exec\w*|subprocess|child_process|execSync|exec|execFileSync|spawn|spawnSync|system|popen|shell_exec|passthru|do shell script|Open3|Kernel|qx|pty)\b|`/;
var TREE_DELETIONS = /\b(?:rmtree|rmSync|rmdirSync|rm|rm_rf|rm_r|removedirs|removeSync|remove_tree|remove_entry|emptyDirSync)\b/;
var FILE_DELETIONS = /\b(?:unlink|unlinkSync|remove|rmdir)\b/;
var WRITES = /\b(?:write\w*|appendFile\w*|append|copy\w*|cpSync|rename\w*|move|symlink\w*|file_put_contents)\b/;
var WRITING_MODE = /^(?:[wax]b?t?\+?|>>?)$/;
var LITERAL = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gs;
var IMPORTS = /\brequire\s*\(?\s*(['"])[^'"]*\1\s*\)?|\bfrom\s+(['"])[^'"]*\2/g;
var HOME_CALLS = /\b(?:Path\.home\(\)|os\.homedir\(\)|homedir\(\)|Dir\.home|process\.env\.HOME|os\.environ\[['"]HOME['"]\])/g;
function codeOf(command) {
  if (/^[gmn]?awk$/.test(command.name)) return readOptions(command.args, { letters: "vFf" }).operands[0]?.text ?? null;
  if (!isInterpreter(command.name)) return null;
  const options = readOptions(command.args, {
    letters: "cerpIWXm",
    names: ["eval", "print", "require"],
    isPrefix: true
  });
  const given = options.values("c", "e", "r", "p", "eval", "print").map(({ text: text2 }) => text2);
  if (given.length > 0) return given.join("\n");
  const [first, second] = options.operands;
  if (command.name === "deno" && first?.text === "eval") return second?.text ?? null;
  const readsInput2 = first === void 0 || first.text === "-";
  return readsInput2 && !options.has("m") ? command.input.text : null;
}
function commandsInCode(raw) {
  const code = raw.replaceAll(IMPORTS, " ").replaceAll(HOME_CALLS, "'~'");
  const literals = [...code.matchAll(LITERAL)].map(([, double, single, back]) => double ?? single ?? back ?? "");
  const names = code.replaceAll(LITERAL, (all) => all.startsWith("`") ? all : '""');
  const inner = [];
  if (SHELL_CALLS.test(names)) {
    const lines = [...literals, literals.join(" ")].filter((text2) => text2.includes(" "));
    inner.push(...lines.map((text2) => ({ kind: "text", text: text2 })));
  }
  const paths = literals.filter((text2) => /^[~/.]/.test(text2) && !/[\s\0]/.test(text2));
  const joinedHome = paths.includes("~") && literals.length > 1 ? literals.filter((text2) => text2 !== "~").map((text2) => `~/${text2}`) : [];
  const targets = joinedHome.length > 0 ? [...paths.filter((text2) => text2 !== "~"), ...joinedHome] : paths;
  if (TREE_DELETIONS.test(names)) inner.push(...targets.map((path) => call2("rm", "-rf", path)));
  if (FILE_DELETIONS.test(names)) inner.push(...targets.map((path) => call2("rm", path)));
  const opensForWriting = /\bopen\b/.test(names) && literals.some((text2) => WRITING_MODE.test(text2));
  if (opensForWriting || WRITES.test(names)) inner.push(...targets.map((path) => call2("tee", path)));
  return inner;
}
function call2(...words) {
  return { kind: "call", args: words.map((text2) => plainArg(text2.replaceAll("\0", UNKNOWN))) };
}

// src/core/guard/run/xargs.ts
var MOST2 = 64;
var FINDING = ["find", "gfind"];
var LISTING = ["fd", "fdfind", "grep", "egrep", "rg", "git", "ag", "ack"];
function commandsOfXargs(command) {
  const shape = {
    letters: "IEadLnPs",
    names: ["replace", "max-args", "max-procs", "delimiter", "arg-file"],
    isPrefix: true
  };
  const options = readOptions(command.args, shape);
  const isFound = command.input.from.some(({ name }) => FINDING.includes(name));
  const words = options.operands.length === 0 ? [plainArg("echo")] : options.operands;
  const template = isFound ? recursive(words) : words;
  const [mark] = options.values("I", "replace");
  const given = givenTo(command);
  if (mark !== void 0) return given.map((each) => call3(template.map((arg) => replaced(arg, mark.text, each))));
  return [call3([...template, ...given.map((text2) => ({ text: text2, from: command.input.from }))])];
}
function commandsOfParallel(command) {
  const at = command.args.findIndex(({ text: text2 }) => text2 === ":::");
  const { operands } = readOptions(at === -1 ? command.args : command.args.slice(0, at), {
    letters: "jn",
    isPrefix: true
  });
  const given = at === -1 ? givenTo(command) : command.args.slice(at + 1).map(({ text: text2 }) => text2);
  const hasMark = operands.some(({ text: text2 }) => text2.includes("{}"));
  return given.slice(0, MOST2).map((each) => {
    const args = hasMark ? operands.map((arg) => replaced(arg, "{}", each)) : [...operands, plainArg(each)];
    return { kind: "text", text: args.map(({ text: text2 }) => text2).join(" ") };
  });
}
function givenTo({ input }) {
  const { text: text2 } = input;
  if (text2 !== null && !text2.includes(UNKNOWN)) return text2.split(/\s+/).filter(Boolean).slice(0, MOST2);
  const listed = input.from.flatMap(listedBy);
  return listed.length === 0 ? [UNSEEN_LIST] : listed;
}
function listedBy(command) {
  if (FINDING.includes(command.name)) return targetsOfFind(command).map(({ text: text2 }) => text2);
  if (command.name === "ls") {
    const { operands } = readOptions(command.args);
    return operands.length === 0 ? ["*"] : operands.map(({ text: text2 }) => /[*?]/.test(text2) ? text2 : `${text2}/*`);
  }
  const isWholeIndex = command.name === "git" && command.args.map(({ text: text2 }) => text2).join(" ") === "ls-files";
  if (isWholeIndex) return ["*"];
  return LISTING.includes(command.name) ? ["some-file"] : [];
}
function call3(args) {
  return { kind: "call", args };
}

// src/core/guard/run/unfold.ts
var PREFIXES2 = {
  sudo: { letters: "ugpCDhRrtTU", names: ["user", "group", "prompt", "chdir", "host", "role", "type"] },
  doas: { letters: "uC" },
  pkexec: { names: ["user"] },
  env: { letters: "uCS", names: ["unset", "chdir", "split-string"] },
  nohup: {},
  setsid: {},
  nice: { letters: "n", names: ["adjustment"] },
  ionice: { letters: "cnpPu", names: ["class", "classdata"] },
  time: { letters: "fo", names: ["format", "output"] },
  timeout: { letters: "ks", names: ["kill-after", "signal"], skip: 1 },
  gtimeout: { letters: "ks", names: ["kill-after", "signal"], skip: 1 },
  stdbuf: { letters: "ioe", names: ["input", "output", "error"] },
  command: {},
  builtin: {},
  exec: { letters: "a" },
  chronic: {},
  unbuffer: {},
  caffeinate: { letters: "tw" },
  strace: { letters: "eops" },
  "xvfb-run": { letters: "nse" },
  busybox: {},
  toybox: {},
  nsenter: { letters: "t", names: ["target"] },
  unshare: {},
  chroot: { names: ["userspec", "groups"], skip: 1 },
  flock: { letters: "wE", names: ["timeout"], skip: 1 },
  taskset: { skip: 1 },
  npx: { letters: "pc", names: ["package", "call"] },
  bunx: { letters: "p", names: ["package"] },
  uvx: { names: ["from", "with"] },
  dotenv: { letters: "ecv" }
};
var JOINED = {
  eval: {},
  watch: { letters: "n", names: ["interval"] },
  ssh: { letters: "bcDEeFIiJLlmOopQRSWw", skip: 1 }
};
function unfold(command, shell) {
  const { name } = command;
  if (isShell(name) || name === "source" || name === ".") return scriptOfShell(command, shell);
  const prefix = own(PREFIXES2, name);
  if (prefix !== null) return unfoldPrefix(command, prefix, shell);
  const together = own(JOINED, name);
  if (together !== null) return unfoldJoined(command, together);
  const code = codeOf(command);
  if (code !== null) return commandsInCode(code);
  switch (name) {
    case "xargs":
      return commandsOfXargs(command);
    case "parallel":
      return commandsOfParallel(command);
    case "find":
    case "gfind":
      return commandsOfFind(command);
    case "git":
      return commandsInGit(command);
    case "trap":
      return textsOf(readOptions(command.args).operands.slice(0, 1));
    case "alias":
      return textsOf(command.args.map(({ text: text2, from }) => ({ text: text2.slice(text2.indexOf("=") + 1), from })));
    case "su":
    case "runuser":
    case "script":
      return textsOf(readOptions(command.args, { letters: "cs", names: ["command"] }).values("c", "command"));
    case "npm":
    case "pnpm":
    case "yarn":
    case "bun":
      return unfoldPackageRunner(command);
    case "vi":
    case "vim":
    case "nvim":
      return unfoldEditor(command);
    case "docker":
    case "podman":
      return unfoldContainer(command);
    case "tmux":
    case "screen":
      return unfoldTerminal(command);
    default:
      return unfoldWrittenFile(command, shell);
  }
}
function unfoldPrefix(command, { skip = 0, ...shape }, shell) {
  const options = readOptions(command.args, { ...shape, isPrefix: true });
  if (command.name === "command" && options.has("v", "V")) return [];
  const texts = [...options.values("split-string", "S"), ...options.values("call", "c")];
  if (texts.length > 0 && ["env", "npx", "flock"].includes(command.name)) {
    const rest = options.operands.map(({ text: text2 }) => text2).join(" ");
    return texts.map(({ text: text2 }) => ({ kind: "text", text: `${text2} ${rest}` }));
  }
  const words = options.operands.slice(skip);
  const start = words.findIndex(({ text: text2 }) => !/^[A-Za-z_]\w*=/.test(text2));
  return start === -1 ? [] : [{ kind: "call", args: words.slice(start), ...folderOf(options, command, shell) }];
}
function folderOf(options, command, shell) {
  const [folder] = [...options.values("chdir"), ...command.name === "env" ? options.values("C") : []];
  return folder === void 0 ? {} : { cwd: resolvePath(folder.text, command.cwd, shell.home) };
}
function unfoldJoined(command, { skip = 0, ...shape }) {
  const words = readOptions(command.args, { ...shape, isPrefix: true }).operands.slice(skip);
  const text2 = words.map((arg) => arg.text).join(" ");
  if (text2.trim() === "") return [];
  if (command.name === "ssh") return [{ kind: "text", text: text2, cwd: null }];
  return [{ kind: "text", text: text2, isSameShell: command.name === "eval" }];
}
function unfoldPackageRunner(command) {
  const at = command.args.findIndex(({ text: text2 }) => ["exec", "x", "dlx"].includes(text2));
  if (at !== 0) return [];
  const { operands } = readOptions(command.args.slice(1), {
    letters: "pc",
    names: ["package", "call"],
    isPrefix: true
  });
  return operands.length === 0 ? [] : [{ kind: "call", args: operands }];
}
function unfoldEditor(command) {
  const given = readOptions(command.args, { letters: "c" }).values("c");
  const plus = command.args.filter(({ text: text2 }) => text2.startsWith("+"));
  return textsOf(
    [...given, ...plus].flatMap(({ text: text2, from }) => {
      const line = /^\+?:?!(.*)$/s.exec(text2)?.[1];
      return line === void 0 ? [] : [{ text: line, from }];
    })
  );
}
function unfoldContainer(command) {
  const words = command.args.map(({ text: text2 }) => text2);
  const at = words[0] === "compose" ? words.indexOf("exec") : words[0] === "exec" ? 0 : -1;
  if (at === -1) return [];
  const shape = { letters: "euw", names: ["env", "user", "workdir", "index", "env-file"], isPrefix: true };
  const inner = readOptions(command.args.slice(at + 1), shape).operands.slice(1);
  return inner.length === 0 ? [] : [{ kind: "call", args: inner, cwd: null }];
}
function unfoldTerminal(command) {
  return textsOf(command.args.filter(({ text: text2 }) => text2.includes(" ")));
}
function unfoldWrittenFile(command, shell) {
  if (!command.program.includes("/")) return [];
  const path = resolvePath(command.program, command.cwd, shell.home);
  const text2 = path === null ? null : shell.files.get(path)?.text ?? null;
  return text2 === null ? [] : [{ kind: "text", text: text2 }];
}
function textsOf(args) {
  return args.filter(({ text: text2 }) => text2 !== UNKNOWN).map(({ text: text2 }) => ({ kind: "text", text: text2 }));
}
function own(table, name) {
  return Object.hasOwn(table, name) ? table[name] ?? null : null;
}

// src/core/guard/run/walk.ts
var DEEPEST2 = 25;
var WORDS_PER_STEP = 20;
var MOST_ITEMS = 16;
function walkScript(script, shell, place = { input: NOTHING, outer: null }) {
  return joined2(script.map(({ node }) => walk(node, shell, place)));
}
function walk(node, shell, place) {
  if (shell.budget.left-- <= 0) return NOTHING;
  switch (node.kind) {
    case "simple":
      return walkSimple(node, shell, place);
    case "pipeline":
      return node.parts.reduce((input, part) => walk(part, subshellOf(shell), { ...place, input }), place.input);
    case "group": {
      const input = throughRedirections(node.redirections, shell, place);
      return walkScript(node.body, node.isSubshell ? subshellOf(shell) : shell, { ...place, input });
    }
    case "branches": {
      const input = throughRedirections(node.redirections, shell, place);
      return joined2(node.bodies.map((body) => walkScript(body, shell, { ...place, input })));
    }
    case "loop":
      return walkLoop(node, shell, place);
    case "function":
      if (isForkBomb(node)) note(FORK_BOMB, node.source, shell, place);
      shell.functions.set(node.name, node.body);
      return walk(node.body, subshellOf(shell), place);
  }
}
function walkLoop(node, shell, place) {
  if (isEndlessFork(node)) note(ENDLESS_FORK, node.source, shell, place);
  const input = throughRedirections(node.redirections, shell, place);
  const inside2 = { ...place, input };
  walkScript(node.condition, shell, inside2);
  const items = node.items.flatMap((word) => expandWord(word, shell, listenIn(shell, place)));
  const variable = node.variable;
  if (variable === null || items.length === 0) return walkScript(node.body, shell, inside2);
  return joined2(
    items.slice(0, MOST_ITEMS).map(({ text: text2 }) => {
      shell.variables.set(variable, text2);
      return walkScript(node.body, shell, inside2);
    })
  );
}
function walkSimple(node, shell, place) {
  const listen = listenIn(shell, place);
  const redirections = redirected(node.redirections, shell, listen);
  const assignments = node.assignments.map(({ name, value }) => ({ name, value: expandWhole(value, shell, listen) }));
  const args = node.words.flatMap((word) => expandWord(word, shell, listen));
  const input = inputThrough(node.redirections, redirections, shell, place.input, listen);
  return call4({ args, assignments, redirections, source: node.source }, shell, { ...place, input });
}
function call4({ args, assignments = [], redirections = [], source }, shell, place) {
  shell.budget.left -= Math.ceil((args.length + 1) / WORDS_PER_STEP);
  if (shell.depth >= DEEPEST2 || shell.budget.left <= 0) return NOTHING;
  const [program = plainArg(""), ...rest] = args;
  if (args.length === 0) for (const { name, value } of assignments) shell.variables.set(name, value.text);
  const command = {
    name: nameOfProgram(program.text),
    program: program.text,
    args: rest,
    assignments,
    redirections,
    input: place.input,
    cwd: shell.cwd,
    outer: place.outer,
    source
  };
  shell.found.push(command);
  shell.depth++;
  const inner = callNamed(command, shell) ?? joined2(unfold(command, shell).map((each) => callInner(each, command, shell)));
  shell.depth--;
  const output = {
    text: printedBy(command, shell) ?? inner.text,
    from: nearest([command, ...program.from, ...place.input.from, ...inner.from])
  };
  remember(command, shell, output);
  return output;
}
function callNamed(command, shell) {
  const place = { input: command.input, outer: command };
  const alias = shell.aliases.get(command.program);
  if (alias !== void 0) {
    const text2 = [alias, ...command.args.map(({ text: text3 }) => quoted(text3))].join(" ");
    return walkScript(parse(text2), { ...shell, aliases: /* @__PURE__ */ new Map() }, place);
  }
  const body = shell.functions.get(command.program);
  if (body === void 0) return null;
  const inside2 = subshellOf(shell);
  const texts = command.args.map(({ text: text2 }) => text2);
  for (const [index, text2] of texts.entries()) inside2.variables.set(String(index + 1), text2);
  for (const all of ["@", "*"]) inside2.variables.set(all, texts.join(" "));
  return walk(body, inside2, place);
}
function callInner(inner, command, shell) {
  const place = { input: inner.input ?? command.input, outer: command };
  const inside2 = inner.cwd === void 0 ? shell : { ...subshellOf(shell), cwd: inner.cwd };
  if (inner.kind === "text") {
    const script = subshellOf(inside2);
    for (const [index, text2] of (inner.parameters ?? []).entries()) script.variables.set(String(index), text2);
    return walkScript(parse(inner.text), inner.isSameShell === true ? inside2 : script, place);
  }
  return call4({ args: inner.args, source: command.source }, inside2, place);
}
function note(name, source, shell, place) {
  call4({ args: [plainArg(name)], source }, shell, place);
}
function listenIn(shell, place) {
  return (script) => walkScript(script, subshellOf(shell), { input: NOTHING, outer: place.outer });
}
function redirected(redirections, shell, listen) {
  return redirections.map(({ operator, target }) => ({ operator, target: expandWhole(target, shell, listen) }));
}
function throughRedirections(redirections, shell, place) {
  if (redirections.length === 0) return place.input;
  const listen = listenIn(shell, place);
  const made = redirected(redirections, shell, listen);
  call4(
    { args: [], redirections: made, source: made.map(({ operator, target }) => `${operator}${target.text}`).join(" ") },
    shell,
    place
  );
  return inputThrough(redirections, made, shell, place.input, listen);
}
function inputThrough(redirections, made, shell, before, listen) {
  let input = before;
  for (const [index, { operator, body }] of redirections.entries()) {
    const target = made[index]?.target ?? plainArg("");
    if (body !== null) input = expandWhole(body, shell, listen);
    else if (operator === "<<<") input = { text: `${target.text}
`, from: target.from };
    else if (operator === "<") {
      const path = resolvePath(target.text, shell.cwd, shell.home);
      const file = path === null ? void 0 : shell.files.get(path);
      input = { text: file?.text ?? null, from: [...target.from, ...file?.from ?? []] };
    }
  }
  return input;
}
function joined2(flows) {
  const texts = flows.map(({ text: text2 }) => text2);
  const isKnown = texts.length > 0 && !texts.every((text2) => text2 === null);
  return {
    text: isKnown ? texts.map((text2) => text2 ?? UNKNOWN).join("") : null,
    from: nearest([...new Set(flows.flatMap(({ from }) => from))])
  };
}
function quoted(text2) {
  return `'${text2.replaceAll("'", String.raw`'\''`)}'`;
}

// src/core/guard/allowed.ts
function readAllowed(text2, home, project) {
  return text2.split("\n").flatMap((line) => {
    const shell = newShell(home, project, project);
    walkScript(parse(line.trim()), shell);
    const [command] = shell.found;
    if (command === void 0 || command.name === "") return [];
    const words = wordsOf(command);
    const isPrefix = words.length > 1 && words.at(-1) === "*";
    return [{ words: isPrefix ? words.slice(0, -1) : words, isPrefix }];
  });
}
function isAllowed(command, allowed) {
  return [command, ...callersOf(command)].some((each) => {
    const words = wordsOf(each);
    if (words.some((word) => word.includes(UNKNOWN)) || each.redirections.some(({ operator }) => operator.includes(">")))
      return false;
    return allowed.some(({ words: wanted, isPrefix }) => {
      const isSame2 = wanted.every((word, at) => word === words[at]);
      return isSame2 && (isPrefix || wanted.length === words.length);
    });
  });
}

// src/core/guard/category.ts
function block(why, instead) {
  return instead === void 0 ? { tier: "block", why } : { tier: "block", why, instead };
}
function warn(why, instead) {
  return instead === void 0 ? { tier: "warn", why } : { tier: "warn", why, instead };
}
function worst(concerns) {
  const found = concerns.filter((concern) => concern !== null);
  return found.find(({ tier }) => tier === "block") ?? found[0] ?? null;
}

// src/core/guard/categories/cloud.ts
var DESTROYS = {
  aws: /^(?:s3 rb|s3api delete-\S+|\S+ (?:delete|terminate|deregister|purge|schedule-key-deletion|disable-key|batch-delete)(?:-\S+)?)(?: |$)/,
  gcloud: /(?:^| )(?:delete|destroy|remove-iam-policy-binding)(?: |$)/,
  gsutil: /^(?:rb)(?: |$)/,
  az: /(?:^| )(?:delete|purge)(?: |$)/,
  terraform: /^(?:destroy|state rm|workspace delete|force-unlock)(?: |$)/,
  tofu: /^(?:destroy|state rm|workspace delete)(?: |$)/,
  terragrunt: /^(?:destroy|run-all destroy)(?: |$)/,
  pulumi: /^(?:destroy|down|stack rm)(?: |$)/,
  cdk: /^destroy(?: |$)/,
  kubectl: /^(?:delete|drain|cordon|replace)(?: |$)/,
  oc: /^delete(?: |$)/,
  helm: /^(?:uninstall|delete|del|un)(?: |$)/,
  eksctl: /^delete(?: |$)/,
  doctl: /(?:^| )(?:delete|destroy|rm)(?: |$)/,
  heroku: /^(?:apps:destroy|destroy|pg:reset|addons:destroy|ps:stop|domains:remove)(?: |$)/,
  fly: /(?:^| )(?:destroy|delete)(?: |$)/,
  flyctl: /(?:^| )(?:destroy|delete)(?: |$)/,
  vercel: /^(?:rm|remove)(?: |$)/,
  netlify: /^sites:delete(?: |$)/,
  firebase: /(?::delete|:disable)(?: |$)|^(?:firestore:delete|hosting:disable|database:remove)(?: |$)/,
  wrangler: /(?:^| )delete(?: |$)/,
  serverless: /^remove(?: |$)/,
  sls: /^remove(?: |$)/,
  sam: /^delete(?: |$)/,
  railway: /^(?:delete|down)(?: |$)/,
  "linode-cli": /(?:^| )(?:delete|rm)(?: |$)/,
  hcloud: /(?:^| )delete(?: |$)/,
  rclone: /^(?:purge|delete|deletefile|rmdirs|sync)(?: |$)/,
  s3cmd: /^(?:rb|del|rm)(?: |$)/,
  mc: /^(?:rb|rm)(?: |$)/,
  gh: /^(?:repo (?:delete|archive)|release delete|secret (?:delete|remove)|api .*|ssh-key delete|gpg-key delete|variable delete|workflow disable)(?: |$)/,
  glab: /^repo delete(?: |$)/,
  "docker-machine": /^rm(?: |$)/,
  consul: /^kv delete(?: |$)/,
  vault: /^(?:delete|destroy|kv (?:delete|destroy|metadata delete))(?: |$)/
};
var APPLIES = {
  terraform: /^apply(?: |$)/,
  tofu: /^apply(?: |$)/,
  pulumi: /^up(?: |$)/
};
var cloud = {
  number: 17,
  name: "cloud destruction",
  instead: "Show the plan (--dry-run) and leave the deed to a person.",
  look(command) {
    const { name } = command;
    if (!Object.hasOwn(DESTROYS, name)) return null;
    const words = command.args.map(({ text: text2 }) => text2);
    if (words.some((text2) => /^--?(?:dry-?run|dryrun)(?:=(?!none)|$)/.test(text2) || text2 === "--help" || text2 === "help"))
      return null;
    const bare = withoutOptions(words, name).join(" ");
    if (name === "gh" && bare.startsWith("api ")) return calls(words);
    if (name === "aws" && /^s3 (?:rm|sync)(?: |$)/.test(bare)) return removesObjects(words);
    if (name === "gsutil" && /^(?:rm|rsync)(?: |$)/.test(bare))
      return words.some((text2) => /^-\w*[rRd]/.test(text2)) ? block("deletes many objects") : null;
    if (DESTROYS[name]?.test(bare) === true) return block(`destroys what is not on this machine (${name} ${bare})`);
    return applies(command, words, bare);
  }
};
function applies(command, words, bare) {
  const isApply = Object.hasOwn(APPLIES, command.name) && APPLIES[command.name]?.test(bare) === true;
  if (!isApply) return null;
  if (words.some((text2) => /^--?destroy$/.test(text2))) return block("destroys what is not on this machine");
  return words.some((text2) => /^(?:--?auto-approve|--yes|-y|--skip-preview)$/.test(text2)) ? warn("changes the cloud unseen") : null;
}
function removesObjects(words) {
  if (words.includes("rm"))
    return words.includes("--recursive") ? block("deletes many objects") : warn("deletes an object");
  return words.includes("--delete") ? block("deletes objects by mirroring") : null;
}
function calls(words) {
  const isDelete = words.some(
    (text2, at) => /^-XDELETE$|^--method=DELETE$/i.test(text2) || /^(?:-X|--method)$/.test(text2) && /^delete$/i.test(words[at + 1] ?? "")
  );
  return isDelete ? block("deletes on the server") : null;
}
var GLOBAL_VALUES = [
  "--profile",
  "--region",
  "--output",
  "--project",
  "-n",
  "--namespace",
  "--context",
  "--kubeconfig",
  "-chdir",
  "--stack",
  "-s",
  "--subscription",
  "-g",
  "--resource-group",
  "--endpoint-url",
  "-a",
  "--app",
  "--zone",
  "-X",
  "--method",
  "-H"
];
function withoutOptions(words, name) {
  return words.filter((text2, at) => {
    if (text2.startsWith("-")) return false;
    const before = words[at - 1] ?? "";
    return !(GLOBAL_VALUES.includes(before) && !(name === "pulumi" && before === "-s"));
  });
}

// src/core/guard/writes.ts
var WRITING2 = [">", ">>", ">|", "&>", "&>>", "<>"];
function writesOf(command) {
  const redirected2 = command.redirections.flatMap(
    ({ operator, target }) => isWriting(operator, target) ? [target.text] : []
  );
  return [...redirected2, ...named(command).map(({ text: text2 }) => text2)].filter((path) => path !== "" && path !== "-");
}
function isWriting(operator, target) {
  return WRITING2.includes(operator) || operator === ">&" && !/^(?:\d+-?|-)$/.test(target.text);
}
function named(command) {
  const { name, args } = command;
  switch (name) {
    case "tee":
    case "touch":
    case "mkdir":
    case "sponge":
    case "truncate":
      return readOptions(args, { letters: name === "truncate" ? "sr" : name === "touch" ? "dtr" : "m" }).operands;
    case "cp":
    case "install":
    case "ln":
    case "scp":
    case "rsync":
      return targetOf(args);
    case "mv":
      return readOptions(args, { letters: "tS", names: ["target-directory"] }).operands.concat(targetOf(args));
    case "dd":
      return args.flatMap(({ text: text2, from }) => text2.startsWith("of=") ? [{ text: text2.slice(3), from }] : []);
    case "sed":
    case "gsed":
      return editedBySed(args);
    case "perl":
    case "ruby": {
      const options = readOptions(args, { letters: "eEI" });
      return options.has("i") ? options.operands : [];
    }
    case "rm":
    case "unlink":
    case "shred":
    case "chmod":
    case "chown":
      return readOptions(args).operands;
    case "curl":
      return readOptions(args, { letters: "oHdXAuFTebwmDcKx", names: ["output"] }).values("o", "output");
    case "wget":
      return readOptions(args, { letters: "OPUo", names: ["output-document"] }).values("O", "output-document");
    case "patch":
      return readOptions(args, { letters: "pidDFoB" }).operands.slice(0, 1);
    case "vi":
    case "vim":
    case "nano":
    case "ed":
    case "ex":
      return readOptions(args, { letters: "c" }).operands;
    default:
      return [];
  }
}
function targetOf(args) {
  const options = readOptions(args, {
    letters: "tSmgoe",
    names: ["target-directory", "mode", "owner", "group", "suffix", "rsh", "exclude", "include"]
  });
  const into = options.values("t", "target-directory");
  return into.length > 0 ? into : options.operands.length > 1 ? options.operands.slice(-1) : [];
}
function editedBySed(args) {
  const isInPlace = args.some(({ text: text2 }) => /^-[a-zA-Z]*i/.test(text2) || text2.startsWith("--in-place"));
  if (!isInPlace) return [];
  const options = readOptions(
    args.filter(({ text: text2 }) => !/^-i./.test(text2)),
    { letters: "ef", names: ["expression", "file"] }
  );
  return options.values("e", "f", "expression", "file").length > 0 ? options.operands : options.operands.slice(1);
}

// src/core/guard/categories/container-escape.ts
var ENGINES = ["docker", "podman", "nerdctl", "ctr"];
var SHAPE = {
  letters: "vewpuhlacm",
  names: [
    "volume",
    "mount",
    "env",
    "workdir",
    "publish",
    "user",
    "name",
    "network",
    "net",
    "pid",
    "ipc",
    "userns",
    "uts",
    "cap-add",
    "cap-drop",
    "device",
    "security-opt",
    "entrypoint",
    "env-file",
    "platform",
    "memory",
    "cpus",
    "label",
    "restart",
    "hostname",
    "add-host",
    "gpus",
    "file",
    "project-name"
  ]
};
var KERNEL_DOORS = [
  "/proc/sys/kernel/core_pattern",
  "/proc/sysrq-trigger",
  "/sys/kernel/uevent_helper",
  "/proc/sys/kernel/modprobe"
];
var containerEscape = {
  number: 8,
  name: "container escape",
  instead: "Mount only the project’s own folders, and leave the container its walls.",
  look(command, context) {
    if (ENGINES.includes(command.name)) return opensContainer(command, context);
    if (command.name === "nsenter") return block("enters another namespace");
    if (command.name === "chroot") return block("enters another file system");
    if (command.name === "kubectl" && command.args.some(({ text: text2 }) => /privileged"?\s*[:=]\s*true|hostPID|hostPath/.test(text2))) {
      return block("starts a pod that owns its node");
    }
    const door = writesOf(command).find((path) => KERNEL_DOORS.includes(path) || path.endsWith("/release_agent"));
    return door === void 0 ? null : block(`writes to ${door}`);
  }
};
function opensContainer(command, context) {
  const words = command.args.map(({ text: text2 }) => text2);
  const at = words.findIndex((text2) => ["run", "create", "exec"].includes(text2));
  if (at === -1) return null;
  const options = readOptions(command.args.slice(at + 1), { ...SHAPE, isPrefix: true });
  if (options.has("privileged") && !words.includes("--privileged=false"))
    return block("starts a container that owns its host");
  return worst([...mounts(options).map((source) => mountsHost(source, command, context)), sharesHost(options)]);
}
function mounts(options) {
  const volumes = options.values("v", "volume").map(({ text: text2, from }) => ({ text: text2.split(":")[0] ?? "", from }));
  const others = options.values("mount").flatMap(({ text: text2, from }) => {
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(text2)?.[1];
    return source === void 0 || !text2.includes("type=bind") ? [] : [{ text: source, from }];
  });
  return [...volumes, ...others];
}
function mountsHost({ text: text2 }, command, context) {
  if (text2.endsWith("docker.sock") || text2.endsWith("podman.sock") || text2.endsWith("containerd.sock"))
    return block("hands the container engine to the container");
  if (!/^[/~.\0]/.test(text2)) return null;
  const zone = zoneOf(text2, command.cwd, context);
  if (zone === "root" && isWithin(context.project, text2) && text2 !== "/" && text2 !== context.home)
    return warn(`mounts ${text2}, more than the project`);
  if (zone === "root" || zone === "system") return block(`mounts ${text2} of the host`);
  return null;
}
function sharesHost(options) {
  const isHost = (name) => options.values(name).some(({ text: text2 }) => text2 === "host");
  if (isHost("pid") || isHost("userns") || isHost("ipc") || isHost("uts")) return block("shares the host’s processes");
  if (options.values("cap-add").some(({ text: text2 }) => /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|DAC_READ_SEARCH)$/i.test(text2)))
    return block("gives the container the kernel");
  if (options.values("security-opt").some(({ text: text2 }) => /unconfined|label[:=]disable/.test(text2)))
    return block("takes the container’s walls away");
  if (options.values("device").some(({ text: text2 }) => /^\/dev\/(?:[hsv]d[a-z]|nvme|mem|kmem|mapper)/.test(text2)))
    return block("gives the container a disk");
  return null;
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
function secrecyOf(text2, cwd, home) {
  const path = resolvePath(text2, cwd, home) ?? text2;
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

// src/core/guard/categories/credentials.ts
var READERS = [
  "cat",
  "tac",
  "nl",
  "less",
  "more",
  "head",
  "tail",
  "bat",
  "batcat",
  "xxd",
  "od",
  "hexdump",
  "strings",
  "base64",
  "base32",
  "cp",
  "mv",
  "tar",
  "zip",
  "gzip",
  "sort",
  "cut",
  "awk",
  "sed",
  "grep",
  "egrep",
  "rg",
  "view",
  "paste",
  "rev",
  "dd",
  "diff",
  "openssl",
  "jq",
  "yq",
  "scp"
];
var PATTERN_FIRST = ["grep", "egrep", "rg", "awk", "sed", "jq", "yq"];
var SECRET_NAME = /(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)(?:_|$)/;
var credentials = {
  number: 6,
  name: "credential exposure",
  instead: "Use the secret where it is (by name, by file), without reading it.",
  look(command, context) {
    const words = command.args.map(({ text: text2 }) => text2);
    switch (command.name) {
      case "env":
      case "printenv":
        return dumpsEnvironment(command);
      case "gpg":
      case "gpg2":
        return words.some((text2) => text2.startsWith("--export-secret")) ? block("prints a private key") : null;
      case "security":
        return /^(?:find-(?:generic|internet)-password|dump-keychain|export)$/.test(words[0] ?? "") ? block("prints what the keychain holds") : null;
      case "gh":
        return words[0] === "auth" && words[1] === "token" ? warn("prints a token") : null;
      case "kubectl":
        return words[0] === "get" && /^secrets?(?:\/|$)/.test(words[1] ?? "") && readsValues(command) ? warn("prints secrets") : null;
      case "aws":
        return words[0] === "secretsmanager" && words[1] === "get-secret-value" ? warn("prints a secret") : null;
      case "vault":
        return words[0] === "read" || words[0] === "kv" && words[1] === "get" ? warn("prints a secret") : null;
      default:
        return readsSecret(command, context);
    }
  }
};
function readsSecretFile(path, cwd, context) {
  const secrecy = secrecyOf(path, cwd, context.home);
  if (secrecy === "secret") return block(`reads ${path}`);
  return secrecy === "environment" ? warn(`reads ${path}, which may hold secrets`) : null;
}
function readsSecret(command, context) {
  if (!READERS.includes(command.name)) return null;
  const { operands } = readOptions(command.args, { letters: command.name === "grep" ? "efmABC" : "nc" });
  const files = PATTERN_FIRST.includes(command.name) ? operands.slice(1) : operands;
  const inputs = command.redirections.flatMap(({ operator, target }) => operator === "<" ? [target] : []);
  const isCopy = command.name === "cp" || command.name === "mv";
  const read = [...isCopy ? files.slice(0, -1) : files, ...inputs].map(({ text: text2 }) => text2.replace(/^if=/, ""));
  const concerns = read.map((path) => readsSecretFile(path, command.cwd, context)).filter((concern) => concern !== null);
  const worst2 = concerns.find(({ tier }) => tier === "block") ?? concerns[0] ?? null;
  return isCopy && worst2?.tier === "warn" ? null : worst2;
}
function dumpsEnvironment(command) {
  const { operands } = readOptions(command.args, { letters: "uCS", names: ["unset", "chdir"] });
  const [first] = operands;
  if (command.name === "printenv" && first !== void 0 && SECRET_NAME.test(first.text))
    return warn(`prints ${first.text}`);
  return first === void 0 ? warn("prints the whole environment", "Print single variables by name.") : null;
}
function readsValues(command) {
  return readOptions(command.args, { letters: "on", names: ["output", "namespace"] }).values("o", "output").some(({ text: text2 }) => text2 !== UNKNOWN && !/^(?:name|wide)$/.test(text2));
}

// src/core/guard/sql.ts
var LONGEST2 = 5e4;
function destroyedBy(sql) {
  for (const statement of statementsOf(sql.slice(0, LONGEST2))) {
    const words = statement.split(/\s+/).filter(Boolean).map((word) => word.toUpperCase());
    const found = destroyedByStatement(words);
    if (found !== null) return found;
  }
  return null;
}
function destroyedByStatement(words) {
  const [first, second] = words;
  if (first === "DROP" && /^(?:DATABASE|SCHEMA|TABLE|TABLESPACE|OWNED|ROLE|USER)$/.test(second ?? ""))
    return `DROP ${second ?? ""}`;
  if (first === "TRUNCATE") return "TRUNCATE";
  if (first === "DELETE" && second === "FROM" && !words.includes("WHERE") && !words.includes("USING"))
    return "DELETE without WHERE";
  if (first === "UPDATE" && words.includes("SET") && !words.includes("WHERE")) return "UPDATE without WHERE";
  if (first === "ALTER" && words.includes("DROP") && words.includes("COLUMN")) return "ALTER … DROP COLUMN";
  return null;
}
function statementsOf(sql) {
  const bare = sql.replaceAll(/--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'/gs, " ");
  return bare.split(";").map((statement) => statement.trim());
}

// src/core/guard/categories/database.ts
var CLIENTS = {
  psql: { letters: "cdfhpUvo", names: ["command", "dbname", "host", "file", "username"], statement: ["c", "command"] },
  mysql: { letters: "eDhuP", names: ["execute", "database"], statement: ["e", "execute"] },
  mariadb: { letters: "eDhuP", names: ["execute", "database"], statement: ["e", "execute"] },
  sqlcmd: { letters: "QqSUPd", names: [], statement: ["Q", "q"] },
  "clickhouse-client": { letters: "q", names: ["query"], statement: ["q", "query"] },
  cockroach: { letters: "e", names: ["execute"], statement: ["e", "execute"] },
  bq: { names: [], statement: [] },
  duckdb: { letters: "c", names: [], statement: ["c"] }
};
var TOOL_WORDS = /^(?:db:drop(?::all)?|db:reset|db:wipe|db:purge|db:schema:load|migrate:fresh|migrate:reset|migrate:refresh|schema:drop|schema:wipe|db:migrate:reset|db:migrate:undo:all)$/;
var TOOLS = [
  "rails",
  "rake",
  "artisan",
  "php",
  "sequelize",
  "sequelize-cli",
  "typeorm",
  "mikro-orm",
  "bundle",
  "symfony",
  "console",
  "doctrine",
  "adonis",
  "ace",
  "npx",
  "yarn",
  "mix"
];
var MONGO = /\bdropDatabase\s*\(|\.drop\s*\(\s*\)|\.(?:deleteMany|remove)\s*\(\s*\{\s*\}\s*\)/;
var database = {
  number: 16,
  name: "database",
  instead: "Use a database of the tests’ own, or name the rows with WHERE.",
  holdsInContainers: true,
  look(command, context) {
    const words = command.args.map(({ text: text2 }) => text2);
    const client = Object.hasOwn(CLIENTS, command.name) ? CLIENTS[command.name] : void 0;
    if (client !== void 0) {
      const options = readOptions(command.args, client);
      return destroys(
        [...options.values(...client.statement), ...options.operands].map(({ text: text2 }) => text2),
        command
      );
    }
    switch (command.name) {
      case "sqlite3":
      case "sqlite":
        return destroysFile(command, context);
      case "mongo":
      case "mongosh":
        return [...words, command.input.text ?? ""].some((text2) => MONGO.test(text2)) ? block("deletes a whole collection or database") : null;
      case "redis-cli":
      case "valkey-cli":
        return words.some((text2) => /^flush(?:all|db)$/i.test(text2)) ? block("empties the store") : null;
      case "dropdb":
      case "dropuser":
        return block(`deletes a database (${words.join(" ")})`);
      case "mysqladmin":
        return words.includes("drop") ? block("deletes a database") : null;
      case "prisma":
        return usesPrisma(words);
      case "supabase":
        return words[0] === "db" && words[1] === "reset" ? block("resets the database") : null;
      default:
        return usesTool(command, words);
    }
  }
};
function destroys(statements, command) {
  for (const sql of [...statements, command.input.text ?? ""]) {
    const found = destroyedBy(sql);
    if (found !== null) return block(`destroys data (${found})`);
  }
  return null;
}
function destroysFile(command, context) {
  const [file, ...statements] = readOptions(command.args, { isSingleDash: true, names: ["cmd", "separator"] }).operands;
  const found = destroys(
    statements.map(({ text: text2 }) => text2),
    command
  );
  if (found === null) return null;
  const isOurs = file === void 0 || file.text === ":memory:" || ["project", "temporary"].includes(zoneOf(file.text, command.cwd, context));
  return isOurs ? warn(found.why) : found;
}
function usesPrisma(words) {
  if (words[0] === "migrate" && words[1] === "reset") return block("resets the database");
  return words[0] === "db" && words.includes("--force-reset") ? block("resets the database") : null;
}
function usesTool(command, words) {
  if (TOOLS.includes(command.name) && words.some((text2) => TOOL_WORDS.test(text2)))
    return block(`wipes a database (${words.join(" ")})`);
  if (command.name === "mix" && words[0] === "ecto.drop") return block("wipes a database");
  const isDjango = /^python[\d.]*$/.test(command.name) && words[0]?.endsWith("manage.py") === true || command.name === "django-admin" || command.name === "manage.py";
  const verb = command.name.startsWith("python") ? words[1] : words[0];
  return isDjango && (verb === "flush" || verb === "reset_db") ? block("wipes a database") : null;
}

// src/core/guard/categories/destructive-files.ts
var destructiveFiles = {
  number: 1,
  name: "destructive file system",
  instead: "Delete only named files and folders inside the project or in /tmp.",
  look(command, context) {
    switch (command.name) {
      case "rm":
      case "unlink":
      case "rmdir":
      case "trash":
      case "srm":
        return deletes(command, context, readOptions(command.args).has("r", "R", "recursive", "d"));
      case "rimraf":
      case "del-cli":
        return deletes(command, context, true);
      case "shred":
      case "truncate":
        return empties(command, context);
      case "mv":
        return moves(command, context);
      case "chmod":
      case "chown":
      case "chgrp":
        return locksAway(command, context);
      case "rsync":
        return mirrors(command, context);
      case "docker":
      case "podman":
        return prunes(command);
      default:
        return null;
    }
  }
};
function deletes(command, context, isRecursive) {
  const options = readOptions(command.args);
  if (options.has("no-preserve-root")) return block("removes the protection of /");
  return worst(options.operands.map((target) => deletesOne(target, command, context, isRecursive)));
}
function deletesOne({ text: text2 }, command, context, isRecursive) {
  const shown2 = text2.replaceAll(UNKNOWN, "…");
  if (text2 === UNSEEN_LIST) {
    return isRecursive ? block("deletes recursively from a list that nobody has seen", "List what would go first.") : null;
  }
  switch (zoneOf(text2, command.cwd, context)) {
    case "root":
      return isRecursive || isEverythingIn(text2) ? block(`deletes ${shown2}, which holds everything`) : null;
    case "project-root":
      if (isRecursive) return block(`deletes the whole project (${shown2})`);
      return isEverythingIn(text2) ? warn(`deletes every file in the project's folder (${shown2})`) : null;
    case "project-git":
      return isRecursive ? block(`deletes the project's git history (${shown2})`) : warn(`deletes inside of .git (${shown2})`);
    case "system":
      return block(`deletes ${shown2}, which belongs to the system`);
    case "outside":
      return isRecursive ? block(`deletes ${shown2} recursively, outside of the project`) : warn(`deletes ${shown2}, outside of the project`);
    case "temporary-root":
      if (isEverythingIn(text2)) return warn(`deletes the temporary files of everybody (${shown2})`);
      return isRecursive ? block(`deletes the folder of temporary files (${shown2})`) : null;
    case "unknown":
      return isRecursive && /^\0\/+\*?$/.test(text2) ? warn(`deletes everything in a folder whose name may be empty (${shown2})`) : null;
    case "project":
    case "temporary":
      return null;
  }
}
function empties(command, context) {
  const options = readOptions(command.args, { letters: "snr", names: ["size", "iterations", "reference"] });
  return worst(options.operands.map(({ text: text2 }) => outsider(text2, command, context, "empties")));
}
function moves(command, context) {
  const options = readOptions(command.args, { letters: "tS", names: ["target-directory", "suffix"] });
  const [into] = options.values("t", "target-directory");
  const target = into ?? options.operands.at(-1);
  const sources = into === void 0 ? options.operands.slice(0, -1) : options.operands;
  if (target?.text === "/dev/null") return block("moves files into nothing");
  return worst(
    sources.map(({ text: text2 }) => {
      const zone = zoneOf(text2, command.cwd, context);
      if (zone === "root" || zone === "system") return block(`moves ${text2} away`);
      if (zone === "project-git") return block(`moves the project's git history away`);
      return zone === "project-root" && !isEverythingIn(text2) ? block("moves the whole project away") : null;
    })
  );
}
function locksAway(command, context) {
  const options = readOptions(command.args, { names: ["reference", "from"] });
  if (command.name === "chmod" && /^-[rwxst]+$/.test(command.args[0]?.text ?? "")) return null;
  const isRecursive = options.has("R", "recursive");
  const [mode, ...targets] = options.operands;
  const opensAll = command.name === "chmod" && /^[0-7]?777$|^(?:a|o|ugo)?\+[rwx]*w/.test(mode?.text ?? "");
  return worst(
    targets.map(({ text: text2 }) => {
      const zone = zoneOf(text2, command.cwd, context);
      if (zone === "root" || zone === "system")
        return isRecursive || zone === "system" ? block(`changes who may use ${text2}`) : null;
      if (zone === "outside" && isRecursive)
        return block(`changes who may use everything in ${text2}, outside of the project`);
      return opensAll && zone !== "temporary" && zone !== "unknown" ? warn(`lets everybody write to ${text2}`) : null;
    })
  );
}
function mirrors(command, context) {
  const options = readOptions(command.args, { letters: "efTB", names: ["rsh", "exclude", "include", "filter"] });
  if (!hasDeletion(options, command)) return null;
  return outsider(options.operands.at(-1)?.text ?? "", command, context, "deletes, by mirroring, in");
}
function hasDeletion(options, command) {
  return options.has("delete", "delete-after", "del") || command.args.some(({ text: text2 }) => text2.startsWith("--delete"));
}
function outsider(text2, command, context, verb) {
  const zone = zoneOf(text2, command.cwd, context);
  const isOut = ["root", "system", "outside", "project-git"].includes(zone) && !text2.startsWith("/dev/");
  return isOut && !/^[\w.@-]+:/.test(text2) ? block(`${verb} ${text2}`) : null;
}
function prunes(command) {
  const words = command.args.map(({ text: text2 }) => text2).filter((text2) => !text2.startsWith("-"));
  const [first = "", second = ""] = words;
  if (second === "prune" || first === "volume" && second === "rm") {
    return warn(
      `removes more than this project's containers (${first} ${second})`,
      "Remove by name what this project has made."
    );
  }
  return null;
}

// src/core/guard/categories/disk.ts
var DEVICE = /^\/dev\/(?:[hsv]d[a-z]|xvd[a-z]|nvme|mmcblk|r?disk\d|md\d|dm-|mapper\/|loop\d|sr\d|mem$|kmem$|port$)/;
var ALWAYS = [
  "wipefs",
  "mkswap",
  "sgdisk",
  "gdisk",
  "cfdisk",
  "blkdiscard",
  "grub-install",
  "update-grub",
  "grub-mkconfig",
  "lvremove",
  "vgremove",
  "pvremove",
  "lvreduce"
];
var LOOKS = {
  fdisk: /^(?:-l|--list|-v|--version|-h|--help)$/,
  sfdisk: /^(?:-l|-d|-J|--list|--dump|--json)$/,
  parted: /^(?:-l|--list|print)$/,
  efibootmgr: /^-v$/,
  hdparm: /^-[iItTcCg]+$/,
  diskutil: /^(?:list|info|apfs|activity)$/,
  zpool: /^(?:list|status|iostat|get|history)$/,
  cryptsetup: /^(?:status|isLuks|luksDump|luksUUID)$/,
  mdadm: /^(?:--detail|-D|--examine|-E|--query|-Q)$/
};
var disk = {
  number: 2,
  name: "disk, partition or boot",
  instead: "Work on an image file inside the project.",
  look(command, context) {
    const { name } = command;
    if (/^mk(?:e2)?fs(?:\.|$)/.test(name) || name === "newfs") return formats(command);
    if (ALWAYS.includes(name)) return isHelp(command) ? null : block(`${name} changes disks`);
    const looks = LOOKS[name];
    if (Object.hasOwn(LOOKS, name) && looks !== void 0) {
      return command.args.length === 0 || command.args.some(({ text: text2 }) => looks.test(text2)) ? null : block(`${name} changes disks`);
    }
    return writesToDevice(command, context);
  }
};
function formats(command) {
  const target = readOptions(command.args, { letters: "tLbUNI" }).operands.find(({ text: text2 }) => text2.startsWith("/dev/"));
  return target === void 0 ? null : block(`formats ${target.text}`);
}
function writesToDevice(command, context) {
  for (const path of writesOf(command)) {
    const resolved = resolvePath(path, command.cwd, context.home);
    if (resolved === null) continue;
    if (DEVICE.test(resolved)) return block(`writes to the device ${resolved}`);
    if (isWithin(resolved, "/boot")) return block(`writes to ${resolved}`);
  }
  return null;
}
function isHelp(command) {
  return command.args.some(({ text: text2 }) => ["--help", "-h", "--version", "-V"].includes(text2));
}

// src/core/guard/categories/environment.ts
var LOADS = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND|PYTHONSTARTUP|PERL5OPT|RUBYOPT|GIT_EXTERNAL_DIFF|GIT_SSH|GIT_ASKPASS|SSH_ASKPASS|GIT_PROXY_COMMAND)$/;
var SETTERS = ["export", "declare", "typeset", "readonly", "local", "env", "sudo", "set"];
var HIDES = /^(?:HISTFILE|HISTSIZE|HISTCONTROL)$/;
var UNVERIFIED = {
  NODE_TLS_REJECT_UNAUTHORIZED: /^0$/,
  GIT_SSL_NO_VERIFY: /^(?:1|true)$/,
  PYTHONHTTPSVERIFY: /^0$/
};
var OURS = /^(?:RALPH_GUARD|CLAUDE_CODE_STOP_HOOK_BLOCK_CAP)$/;
var environment = {
  number: 13,
  name: "environment or PATH manipulation",
  instead: "Call the program by its full path, or set the variable for one harmless command.",
  look(command, context) {
    if (command.name === "unset") return worst(command.args.map(({ text: text2 }) => removes(text2)));
    if (command.name === "history" && command.args.some(({ text: text2 }) => /^-[cw]/.test(text2)))
      return warn("hides what was done");
    return worst(assigned(command).map(([name, value]) => sets(name, value, context, command)));
  }
};
function assigned(command) {
  const own2 = command.assignments.map(({ name, value }) => [name, value.text]);
  if (!SETTERS.includes(command.name)) return own2;
  const given = command.args.flatMap(({ text: text2 }) => {
    const [all, name = ""] = /^([A-Za-z_]\w*)=/.exec(text2) ?? [];
    return all === void 0 ? [] : [[name, text2.slice(all.length)]];
  });
  return [...own2, ...given];
}
function sets(name, value, context, command) {
  if (name === "PATH") return setsPath(value);
  if (OURS.test(name)) return block(`switches the guard (${name})`);
  if (LOADS.test(name)) return value === "" ? null : block(`makes other programs load something (${name})`);
  if (name === "NODE_OPTIONS") return loadsByNode(value, context, command);
  if (HIDES.test(name) && /^(?:0|\/dev\/null|)$/.test(value)) return warn("hides what was done");
  const unverified = Object.hasOwn(UNVERIFIED, name) ? UNVERIFIED[name] : void 0;
  return unverified?.test(value) === true ? warn(`trusts any server (${name})`) : null;
}
function setsPath(value) {
  const parts = value.split(":");
  if (value === "") return block("empties PATH");
  const keeps = parts.some((part) => part.includes(UNKNOWN) || part === "/usr/bin" || part === "/bin");
  if (!keeps) return block("replaces PATH");
  const isFirstTemporary = /^\/(?:var\/)?tmp(?:\/|$)|^\.$/.test(parts[0] ?? "");
  return isFirstTemporary ? warn("lets programs from a temporary folder come first") : null;
}
function loadsByNode(value, context, command) {
  const [, path] = /(?:--require|--import|--loader|-r)[= ]([^\s]+)/.exec(value) ?? [];
  if (path === void 0 || !/^[/~.]/.test(path)) return null;
  return zoneOf(path, command.cwd, context) === "project" ? null : block("makes every node load something (NODE_OPTIONS)");
}
function removes(name) {
  if (name === "PATH") return block("removes PATH");
  if (OURS.test(name)) return block(`switches the guard (${name})`);
  return HIDES.test(name) ? warn("hides what was done") : null;
}

// src/core/guard/categories/exfiltration.ts
var SENDERS = {
  curl: {
    letters: "dFTHXouAebmwKx",
    names: [
      "data",
      "data-binary",
      "data-raw",
      "data-urlencode",
      "form",
      "upload-file",
      "json",
      "header",
      "request",
      "output",
      "user"
    ],
    body: [
      "d",
      "F",
      "T",
      "H",
      "data",
      "data-binary",
      "data-raw",
      "data-urlencode",
      "form",
      "upload-file",
      "json",
      "header"
    ]
  },
  wget: {
    letters: "OPU",
    names: ["post-file", "post-data", "body-file", "body-data", "header"],
    body: ["post-file", "post-data", "body-file", "body-data", "header"]
  },
  http: { letters: "abo", names: ["auth"], body: [] },
  https: { letters: "abo", names: ["auth"], body: [] },
  nc: { letters: "pswqXxiIO", names: [], body: [] },
  ncat: { letters: "pswi", names: [], body: [] },
  netcat: { letters: "pswi", names: [], body: [] },
  socat: { letters: "", names: [], body: [] },
  telnet: { letters: "", names: [], body: [] },
  scp: { letters: "iFoPcSJl", names: [], body: [] },
  sftp: { letters: "iFoPcSJl", names: [], body: [] },
  ftp: { letters: "", names: [], body: [] },
  rsync: { letters: "ef", names: ["rsh", "exclude", "include", "exclude-from", "files-from"], body: [] },
  rclone: { letters: "", names: ["config"], body: [] },
  dig: { letters: "", names: [], body: [] },
  nslookup: { letters: "", names: [], body: [] },
  host: { letters: "", names: [], body: [] },
  mail: { letters: "s", names: [], body: [] },
  sendmail: { letters: "", names: [], body: [] },
  ssh: { letters: "bcDEeFIiJLlmOopQRSWw", names: [], body: [] },
  gh: { letters: "FfbtRd", names: ["body-file"], body: ["F", "body-file"] }
};
var ENVIRONMENT = ["env", "printenv", "export", "set", "declare"];
var exfiltration = {
  number: 4,
  name: "exfiltration",
  instead: "Secrets and the environment stay on this machine; send only what the task itself makes.",
  look(command, context) {
    const sender = SENDERS[command.name];
    const target = Object.hasOwn(SENDERS, command.name) && sender !== void 0 ? command : null;
    if (target === null || sender === void 0) return throughTcp(command, context);
    const options = readOptions(command.args, sender);
    const sent = [...options.values(...sender.body), ...options.operands, ...inputFiles(command)];
    const secret = sent.find((arg) => isSecretOut(arg, command, context));
    if (secret !== void 0) return block("sends a secret away");
    if (command.input.from.some((each) => tellsSecret(each, context))) return block("sends a secret away");
    return sendsAnything(command, options.operands);
  }
};
function throughTcp(command, context) {
  if (!command.redirections.some(
    ({ operator, target }) => operator.includes(">") && /^\/dev\/(?:tcp|udp)\//.test(target.text)
  ))
    return null;
  const isSecret2 = [command, ...command.input.from].some((each) => tellsSecret(each, context));
  return isSecret2 ? block("sends a secret away") : null;
}
function isSecretOut(arg, command, context) {
  const path = arg.text.replace(/^[^@\s]*@/, "").replace(/;.*$/, "");
  const isNamed = !arg.text.startsWith("-") && isSecret(arg.text.includes("@") ? path : arg.text, command, context);
  return isNamed || arg.from.some((each) => tellsSecret(each, context));
}
function isSecret(text2, command, context) {
  return secrecyOf(text2, command.cwd, context.home) !== "public" || /^\/etc\/passwd$/.test(text2);
}
function inputFiles(command) {
  return command.redirections.flatMap(({ operator, target }) => operator === "<" ? [target] : []);
}
function tellsSecret(command, context) {
  if (ENVIRONMENT.includes(command.name) && readOptions(command.args, { letters: "uC" }).operands.length === 0)
    return true;
  if (command.name === "echo" || command.name === "printf" || command.name === "ls") return false;
  if (command.name === "history") return true;
  const operands = [...readOptions(command.args).operands, ...inputFiles(command)];
  return operands.some(({ text: text2 }) => isSecret(text2, command, context));
}
function sendsAnything(command, operands) {
  const isCopy = command.name === "scp" || command.name === "rsync";
  const target = operands.at(-1)?.text ?? "";
  return isCopy && /^(?:[\w.-]+@)?[\w.-]+:/.test(target) ? warn(`copies files to another machine (${target})`) : null;
}

// src/core/guard/categories/exhaustion.ts
var ENDLESS = ["/dev/zero", "/dev/urandom", "/dev/random"];
var LONGEST_CODE = 1e3;
var LARGE_BYTES = 50 * 1024 ** 3;
var UNITS = ["", "K", "M", "G", "T", "P"];
var exhaustion = {
  number: 3,
  name: "resource exhaustion",
  instead: "Give it a bound: a count, a size, a number of jobs.",
  look(command) {
    const { name } = command;
    if (name === FORK_BOMB) return block("starts itself again without end");
    if (name === ENDLESS_FORK) return block("starts processes without end and waits for none");
    if (["perl", "python", "python3", "ruby"].includes(name) && forks(command)) return block("forks without end");
    if (name === "dd") return fillsByDd(command);
    if (name === "fallocate" || name === "truncate") return allocates(command);
    if (name === "stress" || name === "stress-ng") return warn("loads the whole machine");
    if (name === "tail" && reads(command)) return block("keeps an endless file in memory");
    return fillsAFile(command);
  }
};
function fillsAFile(command) {
  const isEndless = (each) => each.name === "yes" || each.name === "cat" && reads(each);
  const isFile = writesOf(command).some((path) => !path.startsWith("/dev/"));
  if (!isFile) return null;
  if (isEndless(command)) return block("writes without end");
  const passes = ["cat", "tee", "pv", "tr", "base64", "sed"].includes(command.name);
  const isBound = command.input.from.some(({ name }) => name === "head" || name === "timeout");
  return passes && !isBound && command.input.from.some(isEndless) ? block("writes without end") : null;
}
function reads(command) {
  return command.args.some(({ text: text2 }) => ENDLESS.includes(text2));
}
function forks(command) {
  return command.args.some(
    ({ text: text2 }) => text2.length < LONGEST_CODE && /\bfork\b[\s()]*while\b|\bwhile\b[^;]*[:{][^;]*\bfork\b/s.test(text2)
  );
}
function fillsByDd(command) {
  const texts = command.args.map(({ text: text2 }) => text2);
  const isEndless = ENDLESS.some((path) => texts.includes(`if=${path}`));
  const of = texts.find((text2) => text2.startsWith("of="));
  const isBound = texts.some((text2) => text2.startsWith("count="));
  return isEndless && of !== void 0 && of !== "of=/dev/null" && !isBound ? block("writes without end") : null;
}
function allocates(command) {
  const [size] = readOptions(command.args, { letters: "los", names: ["length", "offset", "size"] }).values(
    "l",
    "s",
    "length",
    "size"
  );
  const [, digits = "0", unit = ""] = /^\+?(\d+)([KMGTP]?)/i.exec(size?.text ?? "") ?? [];
  const bytes = Number(digits) * 1024 ** Math.max(UNITS.indexOf(unit.toUpperCase()), 0);
  return bytes >= LARGE_BYTES && command.name === "fallocate" ? block(`takes ${size?.text ?? ""} of disk`) : null;
}

// src/core/guard/categories/git.ts
var COMMIT_FIRST = "Commit or stash first; restore single files by name.";
var destructiveGit = {
  number: 10,
  name: "destructive git",
  instead: "Make a new commit on a branch; leave published history as it is.",
  look(command, context) {
    if (command.name === "git-filter-repo" || command.name === "bfg") return block("rewrites history");
    if (command.name !== "git") return null;
    const options = gitOptions(command);
    const [subcommand, ...args] = options.operands;
    const look2 = Object.hasOwn(SUBCOMMANDS, subcommand?.text ?? "") ? SUBCOMMANDS[subcommand?.text ?? ""] : void 0;
    return look2?.(args, () => isDirtyAt(command, options, context)) ?? null;
  }
};
var SUBCOMMANDS = {
  push: pushes,
  reset: (args, isDirty2) => {
    const options = readOptions(args);
    if (!options.has("hard")) return null;
    if (isDirty2()) return block("throws away changes that no commit holds", COMMIT_FIRST);
    const [to] = options.operands;
    return to === void 0 || to.text === "HEAD" ? null : warn(`leaves the commits after ${to.text} behind`);
  },
  clean: (args, isDirty2) => {
    const options = readOptions(args, { letters: "e", names: ["exclude"] });
    if (!options.has("f", "force") || options.has("n", "dry-run")) return null;
    if (options.operands.length > 0 && !options.operands.some(isAll)) return null;
    if (isDirty2()) return block("deletes files that no commit holds", COMMIT_FIRST);
    return warn("deletes files that git does not know");
  },
  restore: (args, isDirty2) => {
    const options = readOptions(args, { letters: "s", names: ["source"] });
    const isIndexOnly = options.has("S", "staged") && !options.has("W", "worktree");
    return !isIndexOnly && options.operands.some(isAll) && isDirty2() ? block("throws away all changes that no commit holds", COMMIT_FIRST) : null;
  },
  checkout: (args, isDirty2) => {
    const options = readOptions(args, { letters: "bB", names: ["orphan"] });
    const loses = options.has("f", "force") || options.operands.some(isAll);
    return loses && isDirty2() ? block("throws away changes that no commit holds", COMMIT_FIRST) : null;
  },
  switch: (args, isDirty2) => {
    const loses = readOptions(args, { letters: "cC" }).has("f", "force", "discard-changes");
    return loses && isDirty2() ? block("throws away changes that no commit holds", COMMIT_FIRST) : null;
  },
  rm: (args) => {
    const options = readOptions(args);
    return !options.has("cached", "n", "dry-run") && options.has("r") && options.operands.some(isAll) ? block("deletes every file of the project") : null;
  },
  stash: (args) => {
    if (args[0]?.text === "clear") return block("throws away all stashes");
    return args[0]?.text === "drop" ? warn("throws away a stash") : null;
  },
  branch: (args) => {
    const options = readOptions(args);
    const isForced = options.has("D") || options.has("d", "delete") && options.has("f", "force");
    if (!isForced) return null;
    const isMain = options.operands.some(({ text: text2 }) => /^(?:main|master|trunk|develop)$/.test(text2));
    return isMain ? block("deletes the main branch") : warn("deletes a branch, merged or not");
  },
  tag: (args) => readOptions(args).has("d", "delete") ? warn("deletes a tag") : null,
  "filter-branch": () => block("rewrites history"),
  "filter-repo": () => block("rewrites history"),
  "update-ref": (args) => readOptions(args).has("d", "stdin") ? block("deletes a reference") : null,
  reflog: (args) => ["expire", "delete"].includes(args[0]?.text ?? "") ? block("deletes the way back to lost commits") : null,
  gc: (args) => args.some(({ text: text2 }) => /^--prune=(?:now|all)$/.test(text2)) ? block("deletes the way back to lost commits") : null,
  prune: () => warn("deletes commits that no branch holds"),
  worktree: (args) => args[0]?.text === "remove" && readOptions(args).has("f", "force") ? warn("deletes a work tree with its changes") : null,
  remote: (args) => ["remove", "rm", "set-url"].includes(args[0]?.text ?? "") ? warn("changes where the project is pushed to") : null
};
function pushes(args) {
  const options = readOptions(args, { letters: "o", names: ["push-option", "repo", "receive-pack"] });
  if (options.has("n", "dry-run")) return null;
  const leases = args.some(
    ({ text: text2 }) => text2.startsWith("--force-with-lease") || text2.startsWith("--force-if-includes")
  );
  const forces = options.has("f") || args.some(({ text: text2 }) => text2 === "--force" || text2 === "--forc");
  const refs = options.operands.slice(1);
  if (forces || refs.some(({ text: text2 }) => text2.startsWith("+"))) return block("overwrites history that others have");
  if (options.has("mirror", "prune")) return block("deletes on the remote what is not here");
  if (options.has("d", "delete") || refs.some(({ text: text2 }) => text2.startsWith(":") && text2.length > 1))
    return block("deletes a branch on the remote");
  return leases ? warn("overwrites history that others have, if nobody else has pushed") : null;
}
function isAll({ text: text2 }) {
  return [".", "./", "*", "./*", ":/", ":/*", "..", ":(top)", "**"].includes(text2);
}
function isDirtyAt(command, options, context) {
  const folder = options.values("C").reduce((cwd, { text: text2 }) => resolvePath(text2, cwd, context.home), command.cwd);
  return folder === null || context.isDirty(folder);
}

// src/core/guard/categories/obfuscation.ts
var DECODERS = ["uudecode", "rev", "tr", "gunzip", "zcat", "bunzip2", "xzcat", "unxz", "base32"];
var DECODED_CODE = /\b(?:exec|eval|compile|Function|system|popen|spawn\w*|execSync)\b/;
var DECODING = /b64decode|base64|fromhex|unhexlify|\bpack\b|atob|fromCharCode|\bchr\b|rot13|decompress|decode64|marshal/;
var obfuscation = {
  number: 12,
  name: "obfuscated execution",
  instead: "Write the command as it is.",
  look(command, _context, seen) {
    const flow = programFlow(command, (path) => seen.written(path, command.cwd));
    if (flow?.from.some(isDecoder) === true) return block("decodes text and runs it");
    const isCode = command.args.some(({ text: text2 }) => DECODED_CODE.test(text2) && DECODING.test(text2) && isCalled(text2));
    const isInterpreter2 = /^(?:python|node|perl|ruby|php|bun|deno)[\d.]*$/.test(command.name);
    return isInterpreter2 && isCode ? block("decodes text and runs it") : null;
  }
};
function isCalled(code) {
  return /\b(?:exec|eval|compile|Function|system|popen|spawn\w*|execSync)\b\s*[(\s'"]/.test(code);
}
function isDecoder(command) {
  const options = readOptions(command.args);
  if (command.name === "base64") return options.has("d", "D", "decode");
  if (command.name === "xxd") return options.has("r", "revert");
  if (command.name === "openssl") return command.args.some(({ text: text2 }) => text2 === "-d" || text2 === "base64");
  if (command.name === "gzip" || command.name === "xz") return options.has("d", "decompress");
  return DECODERS.includes(command.name);
}

// src/core/guard/categories/persistence.ts
var GIT_RUNS = /^(?:core\.(?:hookspath|sshcommand|fsmonitor|editor|pager|askpass|gitproxy)|credential\.helper|init\.templatedir|include\.path)$/i;
var HARMLESS_VALUE = /^(?:|\.husky(?:\/_)?|\.githooks|cat|less|vim?|nano|true|false|code --wait)$/;
var persistence = {
  number: 15,
  name: "persistence",
  instead: "Start what you need for this task, and end it with the task.",
  look(command) {
    const words = command.args.map(({ text: text2 }) => text2);
    switch (command.name) {
      case "crontab":
        return words.includes("-l") ? null : block("changes what runs on a clock");
      case "at":
      case "batch":
        return words.some((text2) => ["-l", "-c", "-V"].includes(text2)) ? null : block("starts something later");
      case "systemctl":
        return words.some((text2) => ["enable", "link", "reenable"].includes(text2)) ? block("starts something with the machine") : null;
      case "systemd-run":
        return block("starts something beside the loop");
      case "launchctl":
        return words.some((text2) => ["load", "bootstrap", "submit", "enable", "kickstart"].includes(text2)) ? block("starts something with the machine") : null;
      case "update-rc.d":
      case "chkconfig":
      case "rc-update":
        return words.length > 0 && words[0] !== "--list" ? block("starts something with the machine") : null;
      case "loginctl":
        return words[0] === "enable-linger" ? block("keeps processes after the session") : null;
      case "ssh-copy-id":
        return block("lets a key in for good");
      case "git":
        return setsGitProgram(command);
      default:
        return null;
    }
  }
};
function setsGitProgram(command) {
  const options = gitOptions(command);
  const [subcommand, ...args] = options.operands;
  const given = options.values("c").map(({ text: text2 }) => text2.split("="));
  if (given.some(
    ([name2 = "", value2 = ""]) => GIT_RUNS.test(name2) && /hookspath/i.test(name2) && !["", "/dev/null", ".husky", ".githooks"].includes(value2)
  )) {
    return block("makes git run other hooks");
  }
  if (subcommand?.text !== "config") return null;
  const { operands } = readOptions(args, { letters: "f", names: ["file"] });
  const [name, value] = operands[0]?.text === "set" ? operands.slice(1) : operands;
  if (name === void 0 || value === void 0 || !GIT_RUNS.test(name.text) || HARMLESS_VALUE.test(value.text))
    return null;
  const isOwnFolder = /hookspath/i.test(name.text) && /^[\w-][\w./-]*$/.test(value.text) && !value.text.includes("..");
  if (isOwnFolder) return warn(`makes git run what lies in ${value.text}`);
  return block(`makes git run a program from now on (${name.text})`);
}

// src/core/guard/categories/privilege.ts
var POWERFUL_GROUPS = /^(?:sudo|wheel|docker|root|admin|adm|lxd|disk|libvirt)$/;
var privilege = {
  number: 7,
  name: "privilege escalation",
  instead: "Do it without root; if that cannot be, say so and stop with <promise>BLOCKED:reason</promise>.",
  look(command) {
    switch (command.name) {
      case "sudo":
      case "doas":
      case "pkexec":
        return becomesRoot(command);
      case "su":
      case "runuser":
        return isHelp2(command) ? null : block("becomes another user");
      case "chmod":
        return setsId(command);
      case "setcap":
        return block("gives a program more rights");
      case "visudo":
      case "chpasswd":
        return block("changes who may do what");
      case "passwd":
        return readOptions(command.args).has("S", "status") ? null : block("changes a password");
      case "usermod":
      case "gpasswd":
      case "adduser":
      case "useradd":
      case "deluser":
      case "userdel":
      case "groupadd":
      case "dseditgroup":
        return joinsGroup(command);
      default:
        return null;
    }
  }
};
function becomesRoot(command) {
  const options = readOptions(command.args, {
    letters: "ugpCDhRrtTU",
    names: ["user", "group", "prompt", "chdir"],
    isPrefix: true
  });
  if (options.has("l", "list", "v", "validate", "k", "K", "V", "version") && options.operands.length === 0) return null;
  if (options.has("i", "s", "login", "shell") || command.name === "doas" && options.has("s"))
    return block("opens a shell as root");
  if (options.has("S", "stdin") && command.input.from.length > 0) return block("hands a password to sudo");
  const [inner] = options.operands;
  if (inner !== void 0 && /^(?:su|(?:ba|z|da)?sh)$/.test(inner.text) && options.operands.length === 1)
    return block("opens a shell as root");
  return warn(`runs as root (${command.name})`);
}
function setsId(command) {
  const [mode] = readOptions(command.args.filter(({ text: text3 }) => !/^-[rwx]+$/.test(text3))).operands;
  const text2 = mode?.text ?? "";
  const isNumeric = /^0?[2-7][0-7]{3}$/.test(text2) && (Number.parseInt(text2, 8) & 3072) !== 0;
  const isSymbolic = text2.split(",").some((part) => /^[ugoa]*[+=][rwxXt]*s/.test(part));
  return isNumeric || isSymbolic ? block("lets a program run with its owner’s rights") : null;
}
function joinsGroup(command) {
  const isPowerful = command.args.some(({ text: text2 }) => text2.split(",").some((group) => POWERFUL_GROUPS.test(group)));
  return block(isPowerful ? "joins a group that is as good as root" : "changes the users of this machine");
}
function isHelp2(command) {
  return command.args.some(({ text: text2 }) => text2 === "--help" || text2 === "--version");
}

// src/core/guard/categories/processes.ts
var POWER = [
  "shutdown",
  "reboot",
  "halt",
  "poweroff",
  "telinit",
  "pm-suspend",
  "pm-hibernate",
  "rtcwake",
  "killall5"
];
var POWER_UNITS = /^(?:reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|exit)$/;
var OURS2 = /(?:^|[^a-z])(?:ralph|claude|swarm)(?:[^a-z]|$)/i;
var ANYTHING = /^(?:\.?\*?|\.\+|\^|\$)$/;
var processes = {
  number: 14,
  name: "process or system control",
  instead: "End only processes that you started, by their pid.",
  look(command) {
    const words = command.args.map(({ text: text2 }) => text2);
    switch (command.name) {
      case "kill":
        return kills(command);
      case "killall":
      case "pkill":
      case "skill":
        return killsByName(command);
      case "fuser":
        return readOptions(command.args).has("k", "kill") ? warn("ends whoever uses it") : null;
      case "init":
        return /^[0-6Ss]$/.test(words[0] ?? "") ? block("changes the run level") : null;
      case "systemctl":
        return words.some((text2) => POWER_UNITS.test(text2)) ? block("stops the machine") : null;
      case "osascript":
        return words.some((text2) => /\b(?:shut down|restart|log out|sleep)\b/.test(text2)) ? block("stops the machine") : null;
      default:
        if (!POWER.includes(command.name)) return null;
        return words.some((text2) => ["-c", "--help", "--version"].includes(text2)) ? null : block("stops the machine");
    }
  }
};
function kills(command) {
  const words = command.args.map(({ text: text2 }) => text2);
  if (words.includes("-l") || words.includes("-L")) return null;
  const isSignal = (text2) => /^-(?:\d{1,2}|[A-Z][A-Z0-9+]*)$/.test(text2);
  const given = words[0] === "-s" || words[0] === "-n" || words[0] === "--signal" ? words.slice(2) : words.slice(isSignal(words[0] ?? "") && words.length > 1 ? 1 : 0);
  const pids = given.filter((text2) => text2 !== "--");
  if (pids.includes("-1") || pids.includes("0") || pids.includes("1"))
    return block(`ends more than it started (${pids.join(" ")})`);
  const found = command.args.flatMap(({ from }) => from).concat(command.input.from);
  const ours = found.some(
    (each) => ["pgrep", "pidof", "ps", "grep"].includes(each.name) && each.args.some(({ text: text2 }) => OURS2.test(text2))
  );
  return ours ? block("ends the loop that runs you") : null;
}
function killsByName(command) {
  const options = readOptions(
    command.args.filter(({ text: text2 }) => !/^-(?:\d+|[A-Z]{3,})$/.test(text2)),
    {
      letters: "usgGPtUF",
      names: ["signal", "user", "uid", "euid", "pgroup", "parent"]
    }
  );
  const patterns = options.operands.map(({ text: text2 }) => text2);
  if (patterns.some((text2) => OURS2.test(text2))) return block("ends the loop that runs you");
  if (patterns.some((text2) => ANYTHING.test(text2)) || patterns.length === 0 && options.has("u", "user", "uid", "U"))
    return block("ends everything");
  return patterns.length === 0 ? null : warn(`ends every process of that name (${patterns.join(" ")})`);
}

// src/core/guard/categories/remote-access.ts
var NETCATS = ["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"];
var SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\//;
var HERE = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|::1)$/;
var TUNNELS = ["ngrok", "cloudflared", "localtunnel", "lt", "bore", "chisel", "frpc", "tailscale", "serveo"];
var ATTACKS = ["msfvenom", "msfconsole", "meterpreter", "pwncat", "evil-winrm"];
var remoteAccess = {
  number: 5,
  name: "reverse shell or remote access",
  instead: "Nobody outside may get a way into this machine; serve on localhost only.",
  look(command) {
    const { name } = command;
    if (NETCATS.includes(name)) return listens(command);
    if (name === "socat" && command.args.some(({ text: text2 }) => /^(?:exec|system|shell):/i.test(text2)))
      return block("joins a program to a socket");
    if (name === "ssh" || name === "autossh") return tunnels(command);
    if (name === "sshd" || name === "dropbear" || name === "telnetd") return block("opens this machine for logins");
    if (ATTACKS.includes(name)) return block("is a tool of attack");
    if (TUNNELS.includes(name)) return warn("opens a way into this machine from outside");
    if (name === "xterm" && readOptions(command.args, { isSingleDash: true, names: ["display"] }).has("display"))
      return block("shows a shell on another machine");
    if (isInterpreter(name) && command.args.some(({ text: text2 }) => isReverseShell(text2)))
      return block("joins a shell to a socket");
    if (isShell(name) && command.input.from.some((each) => [...NETCATS, "telnet", "socat"].includes(each.name))) {
      return block("runs what comes from the network");
    }
    return throughSocket(command);
  }
};
function listens(command) {
  const options = readOptions(command.args, { letters: "pswqXxiIOec", names: ["exec", "sh-exec"] });
  if (options.has("e", "c", "exec", "sh-exec")) return block("joins a program to a socket");
  if (command.input.from.some(({ name }) => isShell(name))) return block("joins a shell to a socket");
  return options.has("l", "listen") ? warn("listens on the network") : null;
}
function tunnels(command) {
  const options = readOptions(command.args, { letters: "bcDEeFIiJLlmOopQRSWw", isPrefix: true });
  return options.values("R").length > 0 ? block("opens a way back into this machine") : null;
}
function throughSocket(command) {
  const redirections = [command, ...callersOf(command)].flatMap((each) => each.redirections);
  const away = redirections.filter(({ target }) => !HERE.test(SOCKET.exec(target.text)?.[1] ?? "localhost"));
  const near = redirections.some(({ target }) => SOCKET.test(target.text));
  if (near && isShell(command.name) && readOptions(command.args).has("i")) return block("joins a shell to a socket");
  if (away.length === 0) return null;
  return isShell(command.name) || command.name === "exec" ? block("joins a shell to a socket") : warn("opens a connection by hand");
}
function isReverseShell(code) {
  const hasSocket = /\b(?:socket|Socket|TCPSocket|fsockopen|net\.connect|createConnection)\b|\bnet\.Socket\b/.test(
    code
  );
  return hasSocket && /\b(?:subprocess|dup2|pty|spawn|exec|system|child_process|popen|proc_open|\/bin\/(?:ba)?sh)\b|\/bin\/(?:ba)?sh/.test(
    code
  );
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

// src/core/guard/categories/sensitive-paths.ts
var sensitivePaths = {
  number: 18,
  name: "sensitive path",
  instead: "Keep to the project’s own files; .claude/rules/ is open for lasting notes.",
  look(command, context) {
    for (const path of writesOf(command)) {
      const concern = writesSensitively(path, command.cwd, context);
      if (concern !== null) return concern;
    }
    return null;
  }
};

// src/core/guard/categories/supply-chain.ts
var DOWNLOADS = ["curl", "wget", "http", "https", "aria2c", "fetch", "lwp-download"];
var SOURCES = ["registry", "index-url", "extra-index-url", "index", "find-links", "trusted-host"];
var PUBLISHES = {
  npm: /^(?:publish|unpublish|deprecate|dist-tag (?:add|rm)|owner (?:add|rm)|access)\b/,
  pnpm: /^publish\b/,
  yarn: /^(?:publish|npm publish)\b/,
  bun: /^publish\b/,
  cargo: /^(?:publish|yank)\b/,
  gem: /^(?:push|yank)\b/,
  twine: /^upload\b/,
  poetry: /^publish\b/,
  uv: /^publish\b/,
  flit: /^publish\b/,
  mvn: /(?:^| )deploy\b/,
  docker: /^push\b/,
  vsce: /^publish\b/
};
var supplyChain = {
  number: 9,
  name: "package supply chain",
  instead: "Download it, read it, then run it; take packages from the project’s own registry and lockfile.",
  look(command, context, seen) {
    return runsDownload(command, seen) ?? publishes(command) ?? changesRegistry(command) ?? runsPackage(command, context) ?? installs(command);
  }
};
function runsDownload(command, seen) {
  const flow = programFlow(command, (path) => seen.written(path, command.cwd));
  const isDownloaded = flow?.from.some(({ name }) => DOWNLOADS.includes(name)) === true;
  if (isDownloaded) return block("runs what it downloads, unseen");
  const addsKey = command.name === "apt-key" || command.name === "add-apt-repository";
  return addsKey ? block("trusts another source of system packages") : null;
}
function publishes(command) {
  const pattern = Object.hasOwn(PUBLISHES, command.name) ? PUBLISHES[command.name] : void 0;
  if (pattern === void 0) return null;
  const words = command.args.map(({ text: text2 }) => text2);
  if (words.includes("--dry-run")) return null;
  const isPublishing = pattern.test(words.filter((text2) => !text2.startsWith("-")).join(" "));
  return isPublishing ? block("publishes to everybody", "Publishing is a person’s decision.") : null;
}
function changesRegistry(command) {
  const words = command.args.map(({ text: text2 }) => text2);
  const isConfig = words[0] === "config" && words[1] === "set";
  if (isConfig && words.some((text2) => /registry|index-url|strict-ssl|cafile/.test(text2)))
    return block("changes where packages come from");
  const options = readOptions(command.args, { letters: "irc", names: SOURCES });
  const isInstaller = /^(?:npm|pnpm|yarn|bun|pip[\d.]*|pipx|uv|poetry|gem)$/.test(command.name);
  if (!isInstaller) return null;
  const sources = options.values(
    "registry",
    "index-url",
    "extra-index-url",
    "index",
    ...command.name.startsWith("pip") ? ["i"] : []
  );
  if (sources.some(({ text: text2 }) => text2.startsWith("http://") && !/^http:\/\/(?:localhost|127\.)/.test(text2)))
    return block("takes packages over an open line");
  return sources.some(({ text: text2 }) => !isUsual(text2)) || options.has("trusted-host") ? warn("takes packages from an unusual source") : null;
}
function isUsual(url) {
  return /^https:\/\/(?:registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|test\.pypi\.org|download\.pytorch\.org|rubygems\.org)(?:\/|$)/.test(
    url
  ) || /^http:\/\/(?:localhost|127\.)/.test(url);
}
function runsPackage(command, context) {
  const words = command.args.map(({ text: text2 }) => text2);
  const isDownloading = words[0] === "dlx" && ["pnpm", "yarn"].includes(command.name) || words[0] === "run" && command.name === "pipx";
  if (isDownloading) return warn("runs a package that the project does not have");
  const isExec = command.name === "npm" && (words[0] === "exec" || words[0] === "x");
  if (!["npx", "bunx"].includes(command.name) && !isExec) return null;
  const options = readOptions(isExec ? command.args.slice(1) : command.args, {
    letters: "pc",
    names: ["package", "call"],
    isPrefix: true
  });
  const [name] = [...options.values("p", "package"), ...options.operands];
  if (name === void 0 || options.has("no-install", "no", "version", "help")) return null;
  const bin = name.text.replace(/^(?:@[^/]+\/)?([^@]+).*$/, "$1");
  const folders = [command.cwd, context.project].filter((folder) => folder !== null);
  const isHere = folders.some((folder) => context.exists(`${folder}/node_modules/.bin/${bin}`));
  return isHere ? null : warn(`runs the package ${name.text}, which the project does not have`);
}
function installs(command) {
  const words = command.args.map(({ text: text2 }) => text2);
  const isInstall = ["install", "i", "add"].includes(words[0] ?? "");
  if (!isInstall) return null;
  const options = readOptions(command.args.slice(1), { letters: "irc", names: SOURCES });
  const isNode = ["npm", "pnpm", "yarn", "bun"].includes(command.name);
  if (isNode && options.has("g", "global")) return warn("installs for the whole machine");
  if (/^pip[\d.]*$/.test(command.name) && options.has("break-system-packages"))
    return warn("installs into the system’s Python");
  const isAny = isNode || /^(?:pip[\d.]*|uv|poetry)$/.test(command.name);
  const fromUrl = options.operands.find(({ text: text2 }) => /^(?:git\+|https?:|git:|github:)/.test(text2));
  return isAny && fromUrl !== void 0 ? warn(`installs from ${fromUrl.text}, past the registry`) : null;
}

// src/core/guard/categories/system-config.ts
var ALWAYS2 = [
  "insmod",
  "rmmod",
  "modprobe",
  "setenforce",
  "chsh",
  "chfn",
  "swapoff",
  "swapon",
  "visudo",
  "csrutil",
  "spctl",
  "nvram",
  "kextload",
  "mount",
  "umount"
];
var LOOKING = /^(?:-h|--help|-V|--version|-l|--list|status|show|list|-L|-S|-n)$/;
var CHANGES = {
  systemctl: /^(?:stop|disable|mask|restart|kill|isolate|set-default|daemon-reload|edit|revert)$/,
  service: /^(?:stop|restart)$/,
  iptables: /^(?:-[FXDPAI]|--flush|--policy|--delete|--append|--insert)$/,
  ip6tables: /^(?:-[FXDPAI]|--flush|--policy|--delete)$/,
  nft: /^(?:flush|delete|add)$/,
  ufw: /^(?:disable|reset|delete|allow|deny|default)$/,
  "firewall-cmd": /^--(?:add|remove|panic)/,
  pfctl: /^-[dF]/,
  sysctl: /^(?:-w|--write|-p|--load)$|^[\w.]+=/,
  timedatectl: /^set-/,
  hostnamectl: /^(?:set-|hostname$)/,
  localectl: /^set-/,
  "update-alternatives": /^--(?:set|install|remove|config|auto)/,
  ip: /^(?:set|add|del|delete|flush|change|replace)$/,
  ifconfig: /^(?:down|up|netmask)$/,
  route: /^(?:add|del|delete|flush)$/,
  networksetup: /^-set/,
  scutil: /^--set$/,
  defaults: /^(?:write|delete)$/,
  date: /^(?:-s|--set)/,
  apt: /^(?:remove|purge|autoremove)$/,
  "apt-get": /^(?:remove|purge|autoremove)$/,
  dpkg: /^(?:-r|-P|--remove|--purge)$/,
  yum: /^(?:remove|erase)$/,
  dnf: /^(?:remove|erase)$/,
  pacman: /^-R/,
  brew: /^(?:uninstall|remove|rm)$/,
  snap: /^remove$/
};
var ONLY_WARNED = ["apt", "apt-get", "brew", "snap", "yum", "dnf", "pacman", "defaults", "dpkg", "service", "docker"];
var systemConfig = {
  number: 11,
  name: "system configuration",
  instead: "Change the project’s own settings; the machine is not the project’s.",
  look(command) {
    const { name } = command;
    const words = command.args.map(({ text: text2 }) => text2);
    if (name === "git") return changesGit(command);
    if (ALWAYS2.includes(name))
      return words.length === 0 || words.some((text2) => LOOKING.test(text2)) ? null : block(`${name} changes the system`);
    const changes = Object.hasOwn(CHANGES, name) ? CHANGES[name] : void 0;
    if (changes === void 0 || words.includes("--user")) return null;
    const found = words.find((text2) => changes.test(text2));
    if (found === void 0) return null;
    return ONLY_WARNED.includes(name) ? warn(`changes the system (${name} ${found})`) : block(`changes the system (${name} ${found})`);
  }
};
function changesGit(command) {
  const [subcommand, ...args] = gitOptions(command).operands;
  if (subcommand?.text !== "config") return null;
  const options = readOptions(args, { letters: "f", names: ["file"] });
  const reads2 = options.has("get", "get-all", "list", "l", "get-regexp") || options.operands.length < 2 && !options.has("unset", "unset-all");
  if (reads2 || !options.has("global", "system")) return null;
  return warn(
    "changes git for every project of this user",
    "Leave --global away: the setting then holds for this project."
  );
}

// src/core/guard/categories/all.ts
var CATEGORIES = [
  destructiveFiles,
  disk,
  exhaustion,
  exfiltration,
  remoteAccess,
  credentials,
  privilege,
  containerEscape,
  supplyChain,
  destructiveGit,
  systemConfig,
  obfuscation,
  environment,
  processes,
  persistence,
  database,
  cloud,
  sensitivePaths
];

// src/core/guard/judge.ts
var TOO_LONG = { tier: "warn", why: "describes more than the guard reads: not all of it was looked at" };
function judgeCommand(text2, cwd, context, allowed = []) {
  const shell = newShell(context.home, context.project, cwd);
  walkScript(parse(text2), shell);
  const seen = {
    written: (path, from) => {
      const resolved = resolvePath(path, from, context.home);
      return resolved === null ? null : shell.files.get(resolved) ?? null;
    }
  };
  const findings = shell.found.flatMap((command) => look(command, context, seen, allowed));
  return inOrder(shell.budget.left > 0 ? findings : [...findings, ...told(obfuscation, TOO_LONG, "…")]);
}
function judgeWrite(path, cwd, context) {
  return told(sensitivePaths, writesSensitively(path, cwd, context), path);
}
function judgeRead(path, cwd, context) {
  return told(credentials, readsSecretFile(path, cwd, context), path);
}
function look(command, context, seen, allowed) {
  const isContained = callersOf(command).some(({ name }) => name === "docker" || name === "podman");
  const categories = isContained ? CATEGORIES.filter(({ holdsInContainers }) => holdsInContainers) : CATEGORIES;
  const findings = categories.flatMap(
    (category) => told(category, category.look(command, context, seen), pieceOf(command))
  );
  return findings.length > 0 && isAllowed(command, allowed) ? [] : findings;
}
function told(category, concern, piece) {
  if (concern === null) return [];
  const { tier, why, instead = category.instead } = concern;
  return [{ tier, number: category.number, category: category.name, piece, why: shown(why), instead }];
}
var LONGEST_PIECE = 200;
function pieceOf(command) {
  const words = [command.program, ...command.args.map(({ text: text3 }) => text3)].join(" ").trim();
  const text2 = shown(command.outer === null ? command.source : words);
  return text2.length > LONGEST_PIECE ? `${text2.slice(0, LONGEST_PIECE)}…` : text2;
}
function shown(text2) {
  return text2.replaceAll(UNKNOWN, "…");
}
function inOrder(findings) {
  const unique = new Map(findings.map((finding) => [`${finding.tier} ${finding.number} ${finding.why}`, finding]));
  const all = [...unique.values()];
  return [...all.filter(({ tier }) => tier === "block"), ...all.filter(({ tier }) => tier === "warn")];
}

// src/hooks/pre-tool-use-judge.ts
var BLOCKED = 2;
var LONGEST_ANSWER = 8e3;
var GIT_PATIENCE_MS = 5e3;
function judgeAndAnswer(deed, cwd, place) {
  answer(findingsOf(deed, cwd, { ...place, isDirty }));
}
function findingsOf({ does, what }, cwd, context) {
  switch (does) {
    case "run":
      return judgeCommand(what, cwd, context, allowedIn(context));
    case "write":
      return judgeWrite(what, cwd, context);
    case "read":
      return judgeRead(what, cwd, context);
  }
}
function allowedIn({ project, home }) {
  const path = (0, import_node_path.join)(project, "ralph/allowed-commands.txt");
  return (0, import_node_fs.existsSync)(path) ? readAllowed((0, import_node_fs.readFileSync)(path, "utf8"), home, project) : [];
}
function isDirty(folder) {
  const { spawnSync } = require("node:child_process");
  const { status, stdout } = spawnSync("git", ["status", "--porcelain", "--untracked-files=normal"], {
    cwd: folder,
    encoding: "utf8",
    timeout: GIT_PATIENCE_MS,
    stdio: ["ignore", "pipe", "ignore"]
  });
  return status !== 0 || stdout !== "";
}
function answer(findings) {
  const blocks = findings.filter(({ tier }) => tier === "block");
  if (blocks.length > 0) {
    (0, import_node_fs.writeSync)(2, `${blocks.map((finding) => sentence("blocked", finding)).join("\n")}
`.slice(0, LONGEST_ANSWER));
    process.exitCode = BLOCKED;
  } else if (findings.length > 0) {
    const additionalContext = findings.map((finding) => sentence("warning", finding)).join("\n").slice(0, LONGEST_ANSWER);
    (0, import_node_fs.writeSync)(1, `${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext } })}
`);
  }
}
function sentence(kind, { number, category, piece, why, instead }) {
  return `ralph guard, ${kind} (category ${number}, ${category}): \`${piece}\` ${why}. ${instead}`;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  judgeAndAnswer
});
