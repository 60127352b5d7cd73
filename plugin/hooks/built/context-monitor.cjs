"use strict";

// src/hooks/context-monitor.ts
var import_node_fs3 = require("node:fs");

// src/hooks/context/alerts.ts
var THRESHOLDS = [50, 60, 70, 80, 90];
var CHARACTERS_PER_TOKEN = 4;
var USUAL_WINDOW = 2e5;
function windowFrom(setting) {
  const tokens = Number(setting);
  return Number.isFinite(tokens) && tokens > 0 ? tokens : USUAL_WINDOW;
}
function crossedBy(bytes, window) {
  return THRESHOLDS.filter((threshold) => bytes >= bytesOf(threshold, window)).toReversed();
}
function nextAt(bytes, window) {
  const next = THRESHOLDS.find((threshold) => bytes < bytesOf(threshold, window));
  return next === void 0 ? null : bytesOf(next, window);
}
function alertOf(threshold, bytes, window) {
  const percent = Math.min(100, Math.floor(bytes / CHARACTERS_PER_TOKEN / window * 100));
  const { severity, advice } = saidAt(threshold);
  return `${severity}: Context window is at ~${percent}% usage (crossed ${threshold}% threshold). ${advice}`;
}
function bytesOf(threshold, window) {
  return Math.ceil(threshold * window * CHARACTERS_PER_TOKEN / 100);
}
function saidAt(threshold) {
  switch (threshold) {
    case 50:
    case 60:
      return {
        severity: "NOTICE",
        advice: "Be mindful of remaining space. Plan to finish your current task within this session. If you discover follow-up work, add new stories to tasks.json — the next iteration will pick them up."
      };
    case 70:
    case 80:
      return {
        severity: "WARNING",
        advice: "Finish your current task and commit soon. Do not start additional tasks. If work remains, create new stories in tasks.json for the next iteration and capture any implementation details or insights in progress.txt so the next iteration has full context."
      };
    case 90:
      return {
        severity: "CRITICAL",
        advice: "Wrap up immediately. Do NOT start new work. Instead: (1) create tasks in tasks.json for any remaining work, (2) write implementation details, insights, and handoff notes to progress.txt, (3) commit all changes, (4) stop. The next iteration will continue from where you left off."
      };
  }
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
function claim(path) {
  try {
    (0, import_node_fs.writeFileSync)(path, "", { flag: "wx", mode: 384 });
    return true;
  } catch {
    return false;
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
function fire({ path }, crossed) {
  const [highest, ...lower] = crossed;
  if (highest === void 0 || !claim(firedFile(path, highest))) return null;
  for (const threshold of lower) claim(firedFile(path, threshold));
  return highest;
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

// src/hooks/context-monitor.ts
function monitor() {
  const { session_id: session, transcript_path: transcript } = readInput();
  const state = alertState(session);
  if (state === null || typeof transcript !== "string") return;
  const bytes = (0, import_node_fs3.statSync)(transcript, { throwIfNoEntry: false })?.size;
  if (bytes === void 0) return;
  const window = windowFrom(process.env.CLAUDE_CONTEXT_WINDOW);
  const fired = fire(state, crossedBy(bytes, window));
  remember(state, transcript, nextAt(bytes, window));
  if (fired === null) return;
  const hookSpecificOutput = { hookEventName: "PostToolUse", additionalContext: alertOf(fired, bytes, window) };
  (0, import_node_fs3.writeSync)(1, `${JSON.stringify({ hookSpecificOutput })}
`);
}
try {
  monitor();
} catch (error) {
  (0, import_node_fs3.writeSync)(2, `ralph: the context monitor failed: ${error instanceof Error ? error.message : String(error)}
`);
  process.exitCode = 1;
}
