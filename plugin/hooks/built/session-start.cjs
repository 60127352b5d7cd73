"use strict";

// src/hooks/session-start.ts
var import_node_fs3 = require("node:fs");

// src/hooks/context/alerts.ts
var THRESHOLDS = [50, 60, 70, 80, 90];
var CHARACTERS_PER_TOKEN = 4;
var USUAL_WINDOW = 2e5;
function windowFrom(setting) {
  const tokens = Number(setting);
  return Number.isFinite(tokens) && tokens > 0 ? tokens : USUAL_WINDOW;
}
function nextAt(bytes, window) {
  const next = THRESHOLDS.find((threshold) => bytes < bytesOf(threshold, window));
  return next === void 0 ? null : bytesOf(next, window);
}
function bytesOf(threshold, window) {
  return Math.ceil(threshold * window * CHARACTERS_PER_TOKEN / 100);
}

// src/hooks/io/session-file.ts
var import_node_fs = require("node:fs");
var FOLDER = process.env.CLAUDE_CODE_TMPDIR || "/tmp";
function sessionFile(kind, session) {
  return typeof session === "string" && /^[\w-]{1,100}$/.test(session) ? `${FOLDER}/${kind}-${session}` : null;
}
function writeOwn(path, text) {
  const fresh = `${path}.${process.pid}.tmp`;
  removeOwn(fresh);
  try {
    (0, import_node_fs.writeFileSync)(fresh, text, { flag: "wx", mode: 384 });
    (0, import_node_fs.renameSync)(fresh, path);
  } catch {
    removeOwn(fresh);
  }
}
function removeOwn(path) {
  try {
    (0, import_node_fs.unlinkSync)(path);
  } catch {
  }
}

// src/hooks/context/state.ts
var KIND = "claude-context-alerts";
function alertState(session) {
  const path = sessionFile(KIND, session);
  return path === null ? null : { path };
}
function forgetAlerts({ path }) {
  for (const file of [path, ...THRESHOLDS.map((threshold) => firedFile(path, threshold))]) removeOwn(file);
}
function remember({ path }, transcript, next) {
  if (!/[\n\r\0]/.test(transcript)) writeOwn(path, `${next ?? "never"}
${transcript}
`);
}
function firedFile(path, threshold) {
  return `${path}.${threshold}`;
}

// src/hooks/io/input.ts
var import_node_fs2 = require("node:fs");
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
      return (0, import_node_fs2.readSync)(0, buffer);
    } catch (error) {
      const code = error.code;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}

// src/hooks/stories/block-count.ts
var KIND2 = "ralph-stop-blocks";
var MOST_TO_READ = 256 * 1024;
function forgetBlocks(session) {
  const path = sessionFile(KIND2, session);
  if (path !== null) removeOwn(path);
}

// src/hooks/session-start.ts
function start(plugin) {
  const { session_id: session, transcript_path: transcript, source } = readInput();
  const state = alertState(session);
  if (state === null || source === "compact") return;
  const acting = sessionFile("ralph-acting", session);
  if (acting !== null) writeOwn(acting, `${(0, import_node_fs3.realpathSync)(plugin)}
`);
  forgetAlerts(state);
  forgetBlocks(session);
  if (typeof transcript !== "string") return;
  const bytes = (0, import_node_fs3.statSync)(transcript, { throwIfNoEntry: false })?.size ?? 0;
  const window = windowFrom(process.env.CLAUDE_CONTEXT_WINDOW);
  const isNew = nextAt(bytes, window) === nextAt(0, window);
  if (isNew) remember(state, transcript, nextAt(0, window));
}
try {
  start(process.argv[2] ?? ".");
} catch (error) {
  (0, import_node_fs3.writeSync)(2, `ralph: the SessionStart hook failed: ${error instanceof Error ? error.message : String(error)}
`);
  process.exitCode = 1;
}
