"use strict";
var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// src/hooks/session-loop.ts
var import_node_fs16 = require("node:fs");

// src/core/literal.ts
function literally(text) {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

// src/core/mask.ts
var HIDDEN = "***";
var FORMS = [
  String.raw`\bsk-[A-Za-z0-9_-]{16,}`,
  String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
  String.raw`\bgithub_pat_[A-Za-z0-9_]{20,}`,
  String.raw`\bglpat-[A-Za-z0-9_-]{16,}`,
  String.raw`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
  String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
  String.raw`\bAIza[A-Za-z0-9_-]{35}`,
  String.raw`\bnpm_[A-Za-z0-9]{36}\b`,
  "-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----"
];
var VALUE = String.raw`(?=[^\s"',;\\]{0,200}\d)(?=[^\s"',;\\]{0,200}[A-Za-z])[^\s"',;\\]{8,}`;
var NAME = String.raw`(?:[\w-]{0,40}(?:api[_-]?key|secret|token|passw(?:or)?d)[\w-]{0,40})\\?["']?\s*[=:]\s*\\?["']?|bearer\s+`;
var NAMED = new RegExp(`\\b(${NAME})${VALUE}`, "gi");
var MAY_BE_NAMED = /api[_-]?key|secret|token|passw|bearer/i;
var SECRET_NAME = /KEY|TOKEN|SECRET|PASSW/i;
var SHORTEST_SECRET = 8;
function maskFor(environment) {
  const values = Object.entries(environment).filter(([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= SHORTEST_SECRET).flatMap(([, value]) => [value ?? "", JSON.stringify(value).slice(1, -1)]).sort((a, b) => b.length - a.length).map(literally);
  const secret = new RegExp([...values, ...FORMS].join("|"), "g");
  return (text) => {
    const masked = text.replaceAll(secret, HIDDEN);
    return MAY_BE_NAMED.test(masked) ? masked.replaceAll(NAMED, `$1${HIDDEN}`) : masked;
  };
}
function maskData(data, mask) {
  if (typeof data === "string") return mask(data);
  if (data === null || typeof data !== "object") return data;
  if (Array.isArray(data)) return data.map((item) => maskData(item, mask));
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, maskData(value, mask)]));
}

// src/state/paths.ts
var import_node_path = require("node:path");
function stateRoot(environment) {
  const given = environment.XDG_STATE_HOME ?? "";
  const base = (0, import_node_path.isAbsolute)(given) ? given : (0, import_node_path.join)(environment.HOME || "/", ".local", "state");
  return { path: (0, import_node_path.join)(base, "ralph") };
}
function loopsFolder(root) {
  return (0, import_node_path.join)(root.path, "loops");
}
function loopFolder(root, id) {
  return (0, import_node_path.join)(loopsFolder(root), id);
}
function journalPath(loop) {
  return (0, import_node_path.join)(loop, "journal.jsonl");
}
function loopLock(loop) {
  return (0, import_node_path.join)(loop, "lock");
}
function statusPath(loop) {
  return (0, import_node_path.join)(loop, "status.json");
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

// src/core/record.ts
var RECORD_VERSION = 1;

// src/core/state.ts
function isOver(state) {
  return state.phase.at === "over";
}

// src/core/turn.ts
function turn(crank2, before, first, effects) {
  let state = before;
  let brought = first;
  while (!isOver(state)) {
    const action = crank2.next(state);
    const result = brought ?? resultOf(action, effects);
    brought = null;
    if (result === null) return state;
    const record = {
      v: RECORD_VERSION,
      seq: state.seq + 1,
      at: effects.now,
      key: action.key,
      attempt: 1,
      result
    };
    effects.append(record);
    state = crank2.apply(state, record);
  }
  return state;
}
function resultOf(action, effects) {
  return action.do === "end" ? { kind: "ended", ending: action.ending } : effects.perform(action);
}

// src/core/backoff.ts
var LONGEST_SECONDS = 300;
function backoff(failuresInARow, unit = 1e3) {
  return Math.min(2 ** (failuresInARow - 1), LONGEST_SECONDS) * unit;
}
var FAILURES_THAT_END_A_LOOP = 5;

// src/core/error.ts
var RalphError = class extends Error {
  constructor(code, message, advice) {
    super(message);
    this.code = code;
    this.advice = advice;
  }
  code;
  advice;
  name = "RalphError";
};
function errnoOf(error) {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return void 0;
}

// src/core/keys.ts
function runName(run) {
  return `${run.iteration}/${run.purpose}/${run.try}`;
}

// src/core/tries.ts
function nextTry(state, purpose) {
  return { ...state, tries: { ...state.tries, [purpose]: tryOf(state, purpose) + 1 } };
}
function withTry(state, purpose) {
  return purpose === "work" ? state : { ...state, tries: { ...state.tries, [purpose]: 1 } };
}
function tryOf(state, purpose) {
  return state.tries[purpose] ?? 1;
}
function runOf(state, purpose) {
  return { loop: state.id, iteration: state.iteration, purpose, try: tryOf(state, purpose) };
}
function waitKey(state, then) {
  return then === "next-iteration" ? `${state.iteration}/wait` : `${state.iteration}/again/${tryOf(state, "work")}`;
}

// src/core/usage.ts
var NO_USAGE = {
  runs: 0,
  costUsd: 0,
  runsWithoutCost: 0,
  inputTokens: 0,
  outputTokens: 0,
  runsWithoutTokens: 0,
  toolCalls: 0
};
function addRun(usage2, ran) {
  const { costUsd, inputTokens, outputTokens } = ran?.account ?? {};
  const tellsTokens = inputTokens !== void 0 && outputTokens !== void 0;
  return {
    runs: usage2.runs + 1,
    costUsd: usage2.costUsd + (costUsd ?? 0),
    runsWithoutCost: usage2.runsWithoutCost + (costUsd === void 0 ? 1 : 0),
    inputTokens: usage2.inputTokens + (tellsTokens ? inputTokens : 0),
    outputTokens: usage2.outputTokens + (tellsTokens ? outputTokens : 0),
    runsWithoutTokens: usage2.runsWithoutTokens + (tellsTokens ? 0 : 1),
    toolCalls: usage2.toolCalls + (ran?.toolCalls ?? 0),
    ...withRefusals(usage2, ran?.refusals ?? 0)
  };
}
function addRefusals(usage2, refusals) {
  return { ...usage2, ...withRefusals(usage2, refusals) };
}
function withRefusals(usage2, more2) {
  const refusals = (usage2.refusals ?? 0) + more2;
  return refusals === 0 ? {} : { refusals };
}

// src/core/crank.ts
function crank(rules2) {
  return {
    rules: rules2,
    begin: (first) => begin(rules2, first),
    next: (state) => next(rules2, state),
    apply: (state, record) => apply(rules2, state, record)
  };
}
function fold({ begin: begin3, apply: apply2 }, records) {
  const [first, ...rest] = records;
  if (first === void 0) throw new Error("a journal without a first record has no state");
  return rest.reduce(apply2, begin3(first));
}
function begin(rules2, first) {
  refuseNewer(first);
  const created = first.result;
  if (created.kind !== "created") throw new Error(`the first record is "${created.kind}", not "created"`);
  return {
    id: created.id,
    door: created.door,
    cwd: created.cwd,
    seq: first.seq,
    at: first.at,
    iteration: 1,
    tries: { work: 1 },
    phase: { at: "inputs" },
    failuresInARow: 0,
    failures: 0,
    faultsInARow: 0,
    usage: NO_USAGE,
    knownInputs: null,
    data: rules2.begin(created)
  };
}
function next(rules2, state) {
  const { phase, iteration } = state;
  switch (phase.at) {
    case "inputs":
      return { do: "read-inputs", key: `${iteration}/inputs/${tryOf(state, "work")}`, known: state.knownInputs };
    case "start": {
      const run = runOf(state, phase.purpose);
      const agent = rules2.agent(state, phase.purpose);
      return { do: "start", key: `${runName(run)}/start`, run, agent, prompt: rules2.prompt(state, phase.purpose) };
    }
    case "await": {
      const run = runOf(state, phase.purpose);
      const listen = rules2.listen(state, phase.purpose);
      const agent = rules2.agent(state, phase.purpose);
      return {
        do: "await",
        key: `${runName(run)}/await`,
        run,
        agent,
        handle: phase.handle,
        listen,
        timeoutMs: rules2.timeout(state, phase.purpose),
        ...idleOf(rules2, state),
        ...rules2.screen === void 0 ? {} : { screen: rules2.screen(state) }
      };
    }
    case "check":
      return { do: "check", key: `${iteration}/check/${phase.index}`, check: rules2.check(state, phase.index) };
    case "publish":
      return { do: "publish", key: `${iteration}/publish/${phase.index}`, what: rules2.publish(state, phase.index) };
    case "step": {
      const { given, outward } = ruleOf(rules2, "step")(state, phase.what);
      const key = `${iteration}/${phase.what}/${tryOf(state, "work")}`;
      return { do: "step", key, what: phase.what, given, outward };
    }
    case "wait":
      return { do: "wait", key: waitKey(state, phase.then), until: phase.until };
    case "end":
    case "over":
      return { do: "end", key: "end", ending: phase.ending };
  }
}
function apply(rules2, before, record) {
  refuseNewer(record);
  const state = { ...before, seq: record.seq, at: record.at };
  const { phase } = state;
  const { result } = record;
  switch (result.kind) {
    case "inputs": {
      expectPhase(phase, "inputs", result);
      const data = result.inputs === void 0 ? state.data : rules2.takeInputs(state.data, result.inputs);
      const known = { ...state, data, knownInputs: result.digest };
      const elsewhere = rules2.afterInputs?.(known) ?? null;
      if (elsewhere !== null) return take(rules2, known, elsewhere);
      const limit = rules2.limit(data);
      if (state.iteration > limit) {
        return end({ ...known, iteration: state.iteration - 1 }, { kind: "iteration-limit", limit });
      }
      return { ...known, phase: { at: "start", purpose: "work" } };
    }
    case "started":
      expectPhase(phase, "start", result);
      return { ...state, phase: { at: "await", purpose: phase.purpose, handle: result.handle } };
    case "ran":
      expectPhase(phase, "await", result);
      return afterRun(rules2, { ...state, usage: addRun(state.usage, result) }, phase.purpose, result);
    case "checked":
      expectPhase(phase, "check", result);
      return take(
        rules2,
        { ...state, usage: addRefusals(state.usage, result.refused?.length ?? 0) },
        rules2.afterCheck(state, result)
      );
    case "published":
      expectPhase(phase, "publish", result);
      return take(rules2, state, rules2.afterPublish(state, result));
    case "stepped":
      expectPhase(phase, "step", result);
      return take(rules2, state, ruleOf(rules2, "afterStep")(state, phase.what, result.gave));
    case "waited":
      expectPhase(phase, "wait", result);
      return afterWait(state, phase, result.command);
    case "interrupted":
      return afterInterruption(phase.at === "await" ? { ...state, usage: addRun(state.usage, null) } : state);
    case "unstartable": {
      expectPhase(phase, "start", result);
      const { reason, hint } = result;
      return end(state, { kind: "configuration", reason, ...hint === void 0 ? {} : { hint } });
    }
    case "ended":
      if (result.ending.kind !== "stopped") expectPhase(phase, "end", result);
      return { ...state, phase: { at: "over", ending: result.ending } };
    case "created":
      throw new Error(`record ${record.seq} begins the loop a second time`);
  }
}
function afterRun(rules2, state, purpose, ran) {
  const { outcome } = ran;
  if (outcome.kind === "interrupted") return afterInterruption(state);
  if (rules2.afterEveryRun !== void 0 && purpose === "work") {
    const isGood = outcome.kind === "worked";
    const counted = rules2.countsLater ? state : isGood ? { ...state, failuresInARow: 0 } : withFailure(state);
    return take(rules2, counted, rules2.afterEveryRun(counted, ran));
  }
  return asUsual(rules2, state, purpose, ran);
}
function asUsual(rules2, state, purpose, ran) {
  const { outcome } = ran;
  const fault = endingOfFault(outcome);
  if (fault !== null) return end(state, fault);
  if (purpose !== "work") return take(rules2, state, rules2.afterRun(state, purpose, ran));
  switch (outcome.kind) {
    case "worked":
      return take(rules2, { ...state, failuresInARow: 0, faultsInARow: 0 }, rules2.afterRun(state, purpose, ran));
    case "failed": {
      const failed = withFailure(state);
      const { failuresInARow } = failed;
      if (failuresInARow >= FAILURES_THAT_END_A_LOOP) {
        return end(failed, { kind: "kept-failing", failures: failuresInARow });
      }
      const until = state.at + backoff(failuresInARow, rules2.backoffUnit(state.data));
      return go(rules2, failed, { to: "next-iteration" }, until);
    }
    default: {
      const faultsInARow = state.faultsInARow + 1;
      const reason = outcome.kind === "infrastructure" ? outcome.reason : `${outcome.kind}: ${outcome.reason}`;
      if (faultsInARow >= FAILURES_THAT_END_A_LOOP) return end(state, { kind: "infrastructure", reason });
      const until = state.at + backoff(faultsInARow, rules2.backoffUnit(state.data));
      return { ...nextTry(state, "work"), faultsInARow, phase: { at: "wait", until, then: "same-iteration" } };
    }
  }
}
function endingOfFault(outcome) {
  switch (outcome.kind) {
    case "limit":
      return { kind: "usage-limit", reason: outcome.reason, resetAt: outcome.resetAt };
    case "auth":
    case "blocked":
    case "tampered":
      return { kind: outcome.kind, reason: outcome.reason };
    default:
      return null;
  }
}
function afterWait(state, wait, command) {
  if (command === "stop") return end(state, { kind: "stopped" });
  if (command === "pause") return { ...state, phase: { ...wait, until: "command" } };
  const inputs = { ...state, phase: { at: "inputs" } };
  return wait.then === "same-iteration" ? inputs : nextIteration(inputs);
}
function nextIteration(state) {
  return { ...state, iteration: state.iteration + 1, tries: { work: 1 } };
}
function afterInterruption(state) {
  const { phase } = state;
  if (phase.at !== "start" && phase.at !== "await") return state;
  const again = nextTry(state, phase.purpose);
  if (phase.purpose !== "work") return { ...again, phase: { at: "start", purpose: phase.purpose } };
  return { ...again, phase: { at: "wait", until: "now", then: "same-iteration" } };
}
function take(rules2, state, step) {
  const rest = rules2.rest?.(step.data) ?? 0;
  return go(rules2, { ...state, data: step.data }, step.go, rest > 0 ? state.at + rest : "now");
}
function go(rules2, state, to, rest) {
  switch (to.to) {
    case "run":
      return { ...withTry(state, to.purpose), phase: { at: "start", purpose: to.purpose } };
    case "check":
      return { ...state, phase: { at: "check", index: to.index } };
    case "publish":
      return { ...state, phase: { at: "publish", index: to.index } };
    case "step":
      return { ...state, phase: { at: "step", what: to.what } };
    case "next-iteration": {
      const limit = rules2.limit(state.data);
      if (state.iteration >= limit && rules2.rereadsLimit !== "after-rest") {
        return rules2.rereadsLimit === "at-once" ? nextIteration({ ...state, phase: { at: "inputs" } }) : end(state, { kind: "iteration-limit", limit });
      }
      return { ...state, phase: { at: "wait", until: rest, then: "next-iteration" } };
    }
    case "again":
      return { ...nextTry(state, "work"), phase: { at: "wait", until: "now", then: "same-iteration" } };
    case "as-usual":
      return asUsual(rules2, state, "work", to.ran);
    case "end":
      return end(state, to.ending);
  }
}
function end(state, ending) {
  return { ...state, phase: { at: "end", ending } };
}
function withFailure(state) {
  return { ...state, failuresInARow: state.failuresInARow + 1, failures: state.failures + 1 };
}
function idleOf(rules2, state) {
  const idleMs = rules2.idle?.(state) ?? null;
  return idleMs === null ? {} : { idleMs };
}
function ruleOf(rules2, name) {
  const rule = rules2[name];
  if (rule === void 0) throw new Error(`the door "${rules2.door}" has no steps of its own`);
  return rule;
}
function refuseNewer({ v, seq }) {
  if (v <= RECORD_VERSION) return;
  throw new RalphError("NEWER_RECORD", `record ${seq} has version ${v}: a newer release wrote it`, {
    hint: "Go on with that release, or a later one.",
    exitCode: 2
  });
}
function expectPhase(phase, at, result) {
  if (phase.at !== at) throw new Error(`a "${result.kind}" record in phase "${phase.at}"`);
}

// src/doors/insession/rules-work.ts
var NOTHING_YET = {
  mark: { transcript: null, offset: 0 },
  toolCalls: 0,
  countsTools: true,
  missesCalls: false,
  hasOutput: false,
  reply: null,
  late: null,
  idleInARow: 0,
  silentInARow: 0,
  blocksInARow: 0,
  cap: null,
  worktree: null
};
var MOST_SILENT_TURNS = 2;
function isGivenUp({ host, silentInARow }) {
  return host === "gemini" && silentInARow >= MOST_SILENT_TURNS;
}
function progressAfter(before, seen, isContinuation) {
  const { mark, toolCalls, reply: reply2, late, isFresh, cap } = seen;
  const isIdle = toolCalls === 0 || reply2 === before.reply;
  const missesCalls = before.missesCalls || toolCalls === null && !isSameMark(mark, before.mark);
  const startsAnew = isFresh || toolCalls === null || toolCalls > 0;
  return {
    mark,
    toolCalls: before.toolCalls + (toolCalls ?? 0),
    countsTools: toolCalls !== null && !missesCalls,
    missesCalls,
    hasOutput: before.hasOutput || seen.hasOutput,
    reply: reply2,
    late,
    idleInARow: isContinuation && isIdle ? before.idleInARow + 1 : 0,
    silentInARow: seen.isSilent ? before.silentInARow + 1 : 0,
    blocksInARow: startsAnew ? 1 : before.blocksInARow + 1,
    cap,
    worktree: seen.worktree ?? null
  };
}
function isSameMark(one, other) {
  return one.transcript === other.transcript && one.offset === other.offset;
}
function workBehind(data) {
  const { minToolCalls } = data.request;
  if (data.toolCalls >= minToolCalls) return "enough";
  if (data.countsTools) return "too-little";
  return data.hasOutput ? "enough" : "unknown";
}

// src/doors/insession/rules.ts
var LOOK_AT_TREE = "look-at-tree";
var RESUME = "resume";
var KEPT_OF_CHECK = 1500;
var rules = {
  door: "insession",
  begin: ({ options }) => {
    const start = options;
    return { ...start, ...NOTHING_YET, mark: start.mark, verdict: "none-yet", failedChecks: [] };
  },
  takeInputs: (data) => data,
  limit: ({ request }) => request.maximumIterations + 1,
  backoffUnit: () => 0,
  agent: () => ({ command: "session", flags: [], mode: "text" }),
  prompt: ({ data }) => data.request.task,
  listen: () => ({ tag: "promise", multiline: true }),
  timeout: () => null,
  check: (state, index) => checkSpec(state, index),
  publish: () => never("a publication"),
  afterRun: (state, _purpose, ran) => {
    const seen = ran.seen;
    const isContinuation = state.iteration > 1;
    const data = { ...state.data, ...progressAfter(state.data, seen, isContinuation), failedChecks: [] };
    const isGiven = ran.said.tag === data.request.promise;
    if (iterationOf(state) >= data.request.maximumIterations) return atLimit(data, isGiven);
    if (!isGiven) return goOn(data, "no-promise");
    const work = workBehind(data);
    if (work === "unknown" && data.tree !== null) return { data, go: { to: "step", what: LOOK_AT_TREE } };
    return promised(data, work === "enough");
  },
  step: ({ data }, what) => ({ given: what === LOOK_AT_TREE ? data.tree : null, outward: false }),
  afterStep: (state, what, gave) => what === LOOK_AT_TREE ? promised(state.data, isAnotherTree(gave, state.data.tree)) : { data: { ...state.data, blocksInARow: 0, idleInARow: 0 }, go: { to: "next-iteration" } },
  afterCheck: ({ data }, checked) => {
    const command = data.request.checks[checked.index] ?? "";
    const { exit: how, output, truncated } = checked;
    const failedChecks = checked.passed ? data.failedChecks : [...data.failedChecks, { command, how, output, truncated }];
    const next2 = { ...data, failedChecks };
    if (checked.index + 1 < data.request.checks.length) {
      return { data: next2, go: { to: "check", index: checked.index + 1 } };
    }
    return failedChecks.length === 0 ? done(next2) : goOn(next2, "checks-failed");
  },
  afterPublish: () => never("a publication")
};
var sessionCrank = crank(rules);
function iterationOf({ iteration }) {
  return iteration - 1;
}
function statusOfSession(state) {
  if (!isOver(state)) return state.phase.at === "step" && state.phase.what === RESUME ? "CAP_REACHED" : "ACTIVE";
  switch (state.phase.ending.kind) {
    case "done":
      return "PROMISE_ACCEPTED";
    case "iteration-limit":
      return "MAX_ITERATIONS_REACHED";
    case "stuck":
      return "STUCK";
    case "stopped":
      return "CANCELLED";
    default:
      return "FAILED";
  }
}
function promised(data, hasWorked) {
  const { onPromiseNoWork, checks } = data.request;
  if (!hasWorked && onPromiseNoWork === "reject") return goOn(data, "no-work");
  const verdict = hasWorked || onPromiseNoWork === "accept" ? "accepted" : "accepted-without-work";
  const stands = { ...data, verdict };
  return checks.length === 0 ? done(stands) : { data: stands, go: { to: "check", index: 0 } };
}
function done(data) {
  return { data, go: { to: "end", ending: { kind: "done" } } };
}
function atLimit(data, isGiven) {
  return { data: { ...data, verdict: isGiven ? "not-judged" : "no-promise" }, go: { to: "next-iteration" } };
}
function goOn(before, verdict) {
  const data = { ...before, verdict };
  const { stuckAfter } = data.request;
  if (isGivenUp(data)) {
    const reason = `${data.silentInARow} turns in a row without a word or a tool call`;
    return { data, go: { to: "end", ending: { kind: "stuck", reason } } };
  }
  if (stuckAfter !== null && data.idleInARow >= stuckAfter) {
    const reason = `${data.idleInARow} continuations in a row brought no tool call or the same reply`;
    return { data, go: { to: "end", ending: { kind: "stuck", reason } } };
  }
  const isCapped = data.cap !== null && data.blocksInARow > data.cap;
  return { data, go: isCapped ? { to: "step", what: RESUME } : { to: "next-iteration" } };
}
function checkSpec({ data, iteration }, index) {
  return {
    index,
    command: data.request.checks[index] ?? "",
    log: `check-${iteration}-${index + 1}.log`,
    keepChars: KEPT_OF_CHECK,
    timeoutMs: data.request.checkSeconds * 1e3
  };
}
function isAnotherTree(gave, before) {
  return typeof gave === "string" && gave !== before;
}
function never(what) {
  throw new Error(`the loop inside a session has no ${what}`);
}

// src/doors/insession/rules-quotes.ts
var isSpaceOrEnd = (char) => char === void 0 || /\s/.test(char);
function closingQuote(text, opening, quote = text[opening] ?? "") {
  for (let at = text.indexOf(quote, opening + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (closes(text, at)) return at;
  }
  return null;
}
function quotedTask(text, opening, isOnlyFlags) {
  const quote = text[opening];
  if (quote !== '"' && quote !== "'") return null;
  let depth = 1;
  let firstEnd = null;
  for (let at = text.indexOf(quote, opening + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (closes(text, at)) {
      depth = Math.max(depth - 1, 0);
      if (!mayFollow(text, at + 1)) continue;
      firstEnd ??= at;
      if (depth === 0 || isOnlyFlags(at + 1)) return { task: text.slice(opening + 1, at), end: at + 1 };
    } else if (/\s/.test(text[at - 1] ?? "")) depth++;
  }
  return firstEnd === null ? null : { task: text.slice(opening + 1, firstEnd), end: firstEnd + 1 };
}
function closes(text, at) {
  return isSpaceOrEnd(text[at + 1]) && text[at - 1] !== "\\";
}
function mayFollow(text, from) {
  const follows = /\s*(?:--[A-Za-z]|$)/y;
  follows.lastIndex = from;
  return follows.test(text);
}

// src/doors/insession/rules-flag-words.ts
var FLAGS = {
  "max-iterations": "value",
  "completion-promise": "value",
  "min-tool-calls": "value",
  "on-promise-no-work": "value",
  "promise-position": "value",
  "stuck-after": "value",
  check: "value",
  "check-timeout": "value",
  resume: "alone",
  help: "alone"
};
var CLOSERS = { '"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "’": "’" };
var LONGEST_NAME = 60;
var SHORT = /^(-[A-Za-z])(?:=|\s+\d+(?:\s|$))/;
function flagAt(text, at) {
  const opening = text.slice(at, at + LONGEST_NAME);
  const word = /^--([A-Za-z][^\s=]*)/.exec(opening);
  if (word === null) return misspelt(opening);
  const name = word[1] ?? "";
  const end2 = at + word[0].length;
  if (!isFlag(name)) return { wrong: `there is no flag --${name}` };
  if (FLAGS[name] === "alone") {
    return text[end2] === "=" ? { wrong: `--${name} takes no value` } : { name, value: "", end: end2 };
  }
  const isJoined = text[end2] === "=";
  const from = isJoined ? end2 + 1 : end2 + (/^\s*/.exec(text.slice(end2))?.[0].length ?? 0);
  const value = valueAt(text, from, isJoined);
  return value === null ? { wrong: `--${name} needs a value` } : { name, ...value };
}
function misspelt(opening) {
  const [, word = "", name = ""] = /^([-\u2010-\u2015\u2212]+([A-Za-z-]*[A-Za-z]))(?=[\s=]|$)/.exec(opening) ?? [];
  const flag = name.toLowerCase();
  if (isFlag(flag)) return { wrong: `${word} is no flag; it is written --${flag}, with two hyphens` };
  const short = SHORT.exec(opening)?.[1];
  return short === void 0 ? null : noShortFlag(short);
}
function noShortFlag(word) {
  return { wrong: `there is no flag ${word} (if it belongs to the task, put the whole task in quotes)` };
}
function valueAt(text, at, isJoined) {
  const quote = text[at];
  const closer = quote === void 0 ? void 0 : CLOSERS[quote];
  if (closer !== void 0) {
    const closing = closingQuote(text, at, closer);
    if (closing === null) return null;
    const inside = text.slice(at + 1, closing);
    return { value: quote === '"' ? inside.replaceAll('\\"', '"') : inside, end: closing + 1 };
  }
  const value = /^\S*/.exec(text.slice(at))?.[0] ?? "";
  if (!isJoined && (value === "" || /^--[A-Za-z]/.test(value))) return null;
  return { value, end: at + value.length };
}
function isFlag(name) {
  return Object.hasOwn(FLAGS, name);
}

// src/doors/insession/rules-request.ts
var NO_WORK_POLICIES = ["reject", "warn", "accept"];
var PROMISE_POSITIONS = ["anywhere", "end"];
var HOOK_SECONDS = 600;
var LONGEST_CHECKS_SECONDS = HOOK_SECONDS - 60;
var SESSION_DEFAULTS = {
  promise: "DONE",
  maximumIterations: 100,
  minToolCalls: 1,
  onPromiseNoWork: "reject",
  promisePosition: "anywhere",
  stuckAfter: null,
  checks: [],
  checkSeconds: LONGEST_CHECKS_SECONDS,
  ultrawork: false
};
var MOST_ITERATIONS = 1e6;
var LONGEST_PROMISE = 200;
function promiseTrouble(promise) {
  if (promise.trim() === "") return "the promise is empty";
  if (/[<>]/.test(promise)) return "the promise is the text between the tags, without < and >, as in DONE";
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(promise))
    return "the promise is one line without control characters";
  if (promise !== promise.trim()) return "the promise has spaces at its ends, where no agent would say them";
  return promise.length > LONGEST_PROMISE ? `the promise is longer than ${LONGEST_PROMISE} characters` : null;
}
function markerOf(promise) {
  return `<promise>${promise}</promise>`;
}

// src/doors/insession/rules-flags.ts
var MOST = Number.MAX_SAFE_INTEGER;
function requestFrom(flags, task, ultrawork) {
  const twice = flags.find(
    ({ name }, index) => name !== "check" && flags.findIndex((flag) => flag.name === name) < index
  );
  if (twice !== void 0) return { wrong: `--${twice.name} is given twice` };
  if (task.trim() === "") return { wrong: "the task is missing" };
  let request = { ...SESSION_DEFAULTS, task, ultrawork };
  for (const { name, value } of flags) {
    const taken = take2(name, value, request);
    if ("wrong" in taken) return taken;
    request = { ...request, ...taken };
  }
  return request;
}
function take2(name, value, request) {
  switch (name) {
    case "max-iterations":
      return numbered(name, value, 1, MOST_ITERATIONS, (maximumIterations) => ({ maximumIterations }));
    case "min-tool-calls":
      return numbered(name, value, 0, MOST, (minToolCalls) => ({ minToolCalls }));
    case "stuck-after":
      return numbered(name, value, 1, MOST, (stuckAfter) => ({ stuckAfter }));
    case "check-timeout":
      return numbered(name, value, 1, LONGEST_CHECKS_SECONDS, (checkSeconds) => ({ checkSeconds }));
    case "completion-promise": {
      const trouble2 = promiseTrouble(value);
      return trouble2 === null ? { promise: value } : { wrong: `--${name}: ${trouble2}` };
    }
    case "on-promise-no-work":
      return oneOf(name, value, NO_WORK_POLICIES, (onPromiseNoWork) => ({ onPromiseNoWork }));
    case "promise-position":
      return oneOf(name, value, PROMISE_POSITIONS, (promisePosition) => ({ promisePosition }));
    case "check":
      if (value.trim() === "" || value.includes("\0")) return { wrong: `--${name} needs a command` };
      return { checks: [...request.checks, value] };
    case "resume":
    case "help":
      return { wrong: `--${name} stands alone` };
  }
}
function numbered(name, value, least, most, taken) {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return taken(number);
  const range = most === MOST ? `${least} or more` : `from ${least} to ${most}`;
  return { wrong: `--${name} takes a whole number, ${range}; got "${shown(value)}"` };
}
function oneOf(name, value, choices, taken) {
  const choice = choices.find((candidate) => candidate === value);
  return choice === void 0 ? { wrong: `--${name} is one of ${choices.join(", ")}; got "${shown(value)}"` } : taken(choice);
}
function shown(value) {
  return value.length > 40 ? `${value.slice(0, 40)}…` : value;
}

// src/doors/insession/rules-command-line.ts
function readCommandLine(typed, { ultrawork }) {
  if (typed.trim() === "-h") return { kind: "help" };
  const parts = partsOf(typed);
  if ("wrong" in parts) return { kind: "wrong", why: parts.wrong };
  const { flags, task } = parts;
  const names = flags.map(({ name }) => name);
  if (names.includes("help")) return { kind: "help" };
  if (names.includes("resume")) {
    if (flags.length === 1 && task === "") return { kind: "resume" };
    return { kind: "wrong", why: "--resume goes on with the loop as it is: it takes no task and no other flag" };
  }
  const request = requestFrom(flags, task, ultrawork);
  return "wrong" in request ? { kind: "wrong", why: request.wrong } : { kind: "begin", request };
}
var TEXT_FLAGS = ["check", "completion-promise"];
function partsOf(typed) {
  const flags = [];
  let at = skipSpace(typed, 0);
  while (at < typed.length) {
    if (isWord(typed, at, "--")) return { flags, task: typed.slice(at + 2).trim() };
    const flag = flagAt(typed, at);
    const short = flag === null ? /^-[A-Za-z](?=\s|$)/.exec(typed.slice(at, at + 3))?.[0] : void 0;
    if (short !== void 0) return noShortFlag(short);
    if (flag === null) break;
    if ("wrong" in flag) return flag;
    flags.push(flag);
    at = skipSpace(typed, flag.end);
  }
  const quoted = quotedTask(typed, at, (from) => !("wrong" in flagsFrom(typed, from)));
  if (quoted === null) return bareTask(typed, at, flags);
  const behind = flagsFrom(typed, quoted.end);
  return "wrong" in behind ? behind : { flags: [...flags, ...behind.flags], task: quoted.task };
}
function flagsFrom(typed, from) {
  const flags = [];
  for (let at = skipSpace(typed, from); at < typed.length; ) {
    const flag = flagAt(typed, at);
    if (flag === null) return { wrong: `text behind the quoted task: ${firstWords(typed.slice(at))}` };
    if ("wrong" in flag) return flag;
    flags.push(flag);
    at = skipSpace(typed, flag.end);
  }
  return { flags };
}
function bareTask(typed, from, before) {
  if (isOpen(typed, from)) return { wrong: "the quote before the task is not closed" };
  const flags = [...before];
  let task = "";
  let at = from;
  let last = before.at(-1);
  while (skipSpace(typed, at) < typed.length) {
    const space = skipSpace(typed, at);
    const flag = flagAt(typed, space);
    if (flag !== null) {
      if ("wrong" in flag) return flag;
      flags.push(flag);
      at = flag.end;
      last = flag;
      continue;
    }
    if (last !== void 0 && TEXT_FLAGS.includes(last.name)) {
      return {
        wrong: `text behind the value of --${last.name}: ${firstWords(typed.slice(space))} (put the value in quotes, and a task that follows, too)`
      };
    }
    last = void 0;
    const end2 = wordEnd(typed, space);
    task += typed.slice(at, end2);
    at = end2;
  }
  return { flags, task: task.trim() };
}
var ELISION = /^'(?:tis|twas|twere|twill|til|em|cause|bout|round|n|\d\ds?)\b/i;
function isOpen(typed, at) {
  if (typed[at] !== '"' && typed[at] !== "'") return false;
  return closingQuote(typed, at) === null && !ELISION.test(typed.slice(at, at + 10));
}
function wordEnd(typed, at) {
  const closing = typed[at] === '"' || typed[at] === "'" ? closingQuote(typed, at) : null;
  const from = closing === null ? at : closing + 1;
  const space = typed.slice(from).search(/\s/);
  return space < 0 ? typed.length : from + space;
}
function skipSpace(text, from) {
  const word = text.slice(from).search(/\S/);
  return word < 0 ? text.length : from + word;
}
function isWord(text, at, word) {
  return text.startsWith(word, at) && (at + word.length === text.length || /\s/.test(text[at + word.length] ?? ""));
}
function firstWords(text) {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

// src/core/duration.ts
var UNITS = { ms: 1, s: 1e3, m: 6e4, h: 36e5 };
function formatDuration(ms) {
  if (ms > 0 && ms < 1e3) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1e3);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds % 3600 / 60), seconds % 60];
  const parts = [hours > 0 ? `${hours}h` : "", minutes > 0 ? `${minutes}m` : "", rest > 0 ? `${rest}s` : ""];
  return parts.join("") || "0s";
}
var FINE_UNITS = { ...UNITS, us: 1e-3, µs: 1e-3, ns: 1e-6 };

// src/core/outcome.ts
function describeExit(exit) {
  switch (exit.by) {
    case "code":
      return `exit ${exit.code}`;
    case "signal":
      return `signal ${exit.signal}`;
    case "timeout":
      return `timed out after ${formatDuration(exit.afterMs)}`;
    case "unseen":
      return "ended unseen";
  }
}

// src/doors/insession/rules-messages.ts
var STUCK_NOTICE_AT = 3;
var OPENING_OF_LONG_TASK = 1500;
var ROOM_FOR_RULES = 3500;
var ROOM_FOR_CHECKS = 3e3;
var SHOWN_CHECKS = 5;
var LONGEST_COMMAND = 300;
var ULTRAWORK = "Ultrawork mode: work with your full effort. Plan first, use every tool that helps, run independent work in parallel, verify each result by running it, and leave nothing half done.";
function contractFor(request, telling) {
  const { promise, maximumIterations, minToolCalls, promisePosition, checks } = request;
  const marker = markerOf(promise);
  return [
    "You are in a Ralph loop. These are strict requirements; do not violate them.",
    `The task:
${taskOr(request.task, telling, ROOM_FOR_RULES)}`,
    [
      `Stopping rule: only when the task is fully done, output exactly this promise: ${marker}`,
      "It must match exactly: the same case, no whitespace inside the tag, no variants.",
      "If the task is not done, do not output the promise.",
      ...promisePosition === "end" ? ["It counts only as the last line of your last message."] : [],
      ...minToolCalls > 0 ? ["A promise without work behind it is rejected."] : [],
      `If you stop without it, you are sent back to the task, at most ${maximumIterations} times.`
    ].join("\n"),
    ...checks.length === 0 ? [] : [`The promise counts only if these commands exit 0 then:
${listed(checks, telling)}`]
  ].join("\n\n");
}
function continuationFor({ data }, telling) {
  const { request, failedChecks, idleInARow } = data;
  const room = ROOM_FOR_RULES + (failedChecks.length > 0 ? ROOM_FOR_CHECKS : 0);
  return [
    ...request.ultrawork ? [ULTRAWORK] : [],
    ...reasons(data, telling),
    ...idleInARow >= STUCK_NOTICE_AT ? [stuckNotice(idleInARow)] : [],
    `Original task: ${taskOr(request.task, telling, room)}`
  ].join("\n\n");
}
function stuckNotice(idle) {
  return `The last ${idle} continuations brought no tool call or the same reply: this loop is stuck. Do something different from what you did before; if something keeps you from the task, say exactly what.`;
}
function reasons({ request, verdict, failedChecks, worktree }, telling) {
  const marker = markerOf(request.promise);
  switch (verdict) {
    case "no-work":
      return [
        "Promise detected, but no tool calls/work were performed; you must actually complete the task before emitting the promise.",
        `Continue working on the original task below. Only output the promise ${marker} when the task is fully complete.`
      ];
    case "checks-failed":
      return [
        `Promise detected, but ${failedChecks.length === 1 ? "a check" : `${failedChecks.length} checks`} failed; the promise does not count until all checks pass.`,
        ...worktree === null ? [] : [`The checks ran in the worktree that you work in: ${worktree}`],
        ...failedChecks.slice(0, SHOWN_CHECKS).map((check, _, shown2) => failedCheck(check, ROOM_FOR_CHECKS / shown2.length, telling)),
        ...more(failedChecks.length),
        `Continue working on the original task below. Only output the promise ${marker} again when the task is fully complete.`
      ];
    default:
      return [
        `You attempted to end the loop, but you did not output the completion promise ${marker}. Continue working on the original task below. Only output the promise when the task is fully complete.`
      ];
  }
}
function failedCheck({ command, how, output, truncated }, room, telling) {
  const shown2 = cut(output, room, telling);
  const isCut = truncated || shown2.length < output.length;
  const text = shown2.trimEnd();
  const said = text === "" ? "It printed nothing." : `${text}${isCut ? "\n[…]" : ""}`;
  return `Check failed (${describeExit(how)}): ${shortened(command, telling)}
${said}`;
}
function taskOr(task, telling, room) {
  if (cut(task, telling.longestText - room, telling) === task) return task;
  return [
    `(The task is long, ${task.length} characters. It stands whole and unchanged in the file ${telling.taskFile}: read all of it before you go on. It begins so:)`,
    cut(task, OPENING_OF_LONG_TASK, telling),
    "[…]"
  ].join("\n");
}
function listed(commands, telling) {
  return [
    ...commands.slice(0, SHOWN_CHECKS).map((command) => `- ${shortened(command, telling)}`),
    ...more(commands.length)
  ].join("\n");
}
function more(all) {
  return all > SHOWN_CHECKS ? [`(and ${all - SHOWN_CHECKS} more)`] : [];
}
function shortened(command, telling) {
  const shown2 = cut(command, LONGEST_COMMAND, telling);
  return shown2 === command ? command : `${shown2}…`;
}
function cut(text, length, { unit }) {
  if (unit === "characters") return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  const bytes = Buffer.from(text);
  if (bytes.length <= length) return text;
  let end2 = Math.floor(length);
  while (end2 > 0 && ((bytes[end2] ?? 0) & 192) === 128) end2--;
  return bytes.toString("utf8", 0, end2);
}

// src/doors/insession/rules-turn.ts
function performAtOnce(action) {
  switch (action.do) {
    case "read-inputs":
      return { kind: "inputs", digest: "given at the start" };
    case "start":
      return { kind: "started", handle: { runner: "session", name: "" } };
    case "wait":
      return { kind: "waited" };
    default:
      return null;
  }
}

// src/doors/insession/rules-wording.ts
var NO_LOOP = "No active Ralph loop found.";
function unheardPromise(slash) {
  return `Ralph loop: CAP_REACHED. The promise was not judged, because the loop waits. Go on with: ${slash}ralph-loop --resume`;
}
function usage(slash) {
  const indent = " ".repeat(`Usage: ${slash}ralph-loop `.length);
  return [
    `Usage: ${slash}ralph-loop "<task>" [--max-iterations <N>] [--completion-promise "<PROMISE>"] [--min-tool-calls <M>]`,
    `${indent}[--on-promise-no-work reject|warn|accept] [--promise-position anywhere|end] [--stuck-after <N>]`,
    `${indent}[--check "<command>"]… [--check-timeout <seconds>]`,
    `       ${slash}ralph-loop --resume     goes on with a loop that the 8-block cap has ended`,
    `Defaults: --max-iterations ${SESSION_DEFAULTS.maximumIterations}, --completion-promise ${SESSION_DEFAULTS.promise}, --min-tool-calls ${SESSION_DEFAULTS.minToolCalls}, --on-promise-no-work ${SESSION_DEFAULTS.onPromiseNoWork}.`,
    "Flags stand anywhere, as --x 3 or --x=3; behind -- before the task everything is the task, exactly as it stands.",
    `Example: ${slash}ralph-loop "Make the tests pass" --max-iterations 20 --check "npm test"`
  ].join("\n");
}
function refusal(why, slash) {
  return `The loop was not started: ${visible(why)}.
${usage(slash)}`;
}
function cancelled(state) {
  return `Cancelled Ralph loop (was at iteration ${iterationOf(state)})`;
}
function begunNotice({ request }, slash) {
  return `Ralph loop started: at most ${request.maximumIterations} iterations, ends with ${markerOf(request.promise)}. ${slash}ralph-status shows it, ${slash}cancel-ralph ends it.`;
}
function whereItStands(state, slash) {
  return `This session is in a Ralph loop, at iteration ${iterationOf(state)}/${state.data.request.maximumIterations}. ${slash}ralph-status shows it, ${slash}cancel-ralph ends it.`;
}
function goOnNotice(state, slash) {
  const { request, idleInARow } = state.data;
  const stuck = idleInARow >= STUCK_NOTICE_AT ? ` Stuck: ${idleNow(state.data)}; ${slash}cancel-ralph ends the loop.` : "";
  return `Ralph iteration ${iterationOf(state)}/${request.maximumIterations}: ${verdictOf(state.data)}.${stuck}`;
}
function endNotice(state, slash, howToLift) {
  const status2 = statusOfSession(state);
  const iterations = iterationOf(state);
  const head = `Ralph loop: ${status2}`;
  switch (status2) {
    case "PROMISE_ACCEPTED":
      return `${head} at iteration ${iterations}: ${verdictOf(state.data)}.`;
    case "MAX_ITERATIONS_REACHED":
      return `${head} (${state.data.request.maximumIterations}): ${verdictOf(state.data)}.`;
    case "STUCK":
      return `${head} at iteration ${iterations}: ${isGivenUp(state.data) ? silentNow(state.data) : idleNow(state.data)}.`;
    case "CAP_REACHED":
      return `${head} at iteration ${iterations}: the agent's program does not let a hook refuse the end more than ${state.data.cap} times in a row without a tool call. Go on with: ${slash}ralph-loop --resume${howToLift === null ? "" : `. ${howToLift}`}`;
    default:
      return null;
  }
}
function logLine(state, status2, at) {
  const sent = status2 === "ACTIVE" ? "sent back" : status2;
  const { toolCalls, countsTools, idleInARow } = state.data;
  const calls = countsTools ? `${toolCalls} tool calls so far` : "tool calls unknown";
  const stuck = idleInARow >= STUCK_NOTICE_AT ? `; stuck: ${idleNow(state.data)}` : "";
  return `${timeOf(at)} iteration ${iterationOf(state)}: ${verdictOf(state.data)}; ${calls}${stuck}; ${sent}
`;
}
function loopNoteLine(state, what, at) {
  return `${timeOf(at)} iteration ${iterationOf(state)}: ${what}
`;
}
function statusReport(state, slash, files) {
  const { request, toolCalls, countsTools } = state.data;
  const status2 = statusOfSession(state);
  return [
    `Ralph loop: ${status2}, iteration ${iterationOf(state)} of at most ${request.maximumIterations}`,
    `Promise: ${markerOf(request.promise)}${request.ultrawork ? " (ulw-loop)" : ""}`,
    `Task: ${visible(firstLineOf(request.task))}`,
    `Folder: ${visible(state.cwd)}`,
    `Tool calls: ${countsTools ? toolCalls : "unknown"} (at least ${request.minToolCalls} needed, otherwise ${request.onPromiseNoWork})`,
    ...request.checks.length === 0 ? [] : [`Checks: ${visible(request.checks.join(" ; "))}`],
    `Last decision: ${verdictOf(state.data)}`,
    ...status2 === "CAP_REACHED" ? [`Go on with: ${slash}ralph-loop --resume`] : [],
    ...status2 === "ACTIVE" ? ["It goes on whenever this session would stop, also after it was closed and resumed."] : [],
    `Log: ${files.log}`,
    ...files.lastLines.map((line) => `  ${line}`)
  ].join("\n");
}
function verdictOf({ verdict, request, toolCalls, countsTools, failedChecks, worktree }) {
  const where = worktree === null ? "" : ` in ${visible(worktree)}`;
  switch (verdict) {
    case "none-yet":
      return "nothing decided yet";
    case "no-promise":
      return "promise not found";
    case "no-work":
      return `promise found, rejected: ${countsTools ? `${toolCalls} tool calls, ${request.minToolCalls} needed` : "no sign of work"}`;
    case "checks-failed":
      return `promise found, rejected: ${failedChecks.length} of ${request.checks.length} checks failed${where}`;
    case "accepted":
      return request.checks.length === 0 ? "promise found, accepted" : `promise found, all checks passed${where}, accepted`;
    case "not-judged":
      return "the promise was given in the last turn and was not judged; look for yourself whether the task is done";
    case "accepted-without-work":
      return "promise found, accepted with a warning: no tool calls/work were performed";
  }
}
function idleNow({ idleInARow }) {
  return `${idleInARow} continuations in a row without a tool call or with the same reply`;
}
function silentNow({ silentInARow }) {
  return `${silentInARow} turns in a row without a word or a tool call: Gemini CLI does not ask its model any more when answers repeat. A new session can begin the loop again`;
}
function firstLineOf(task) {
  const line = task.trim().split("\n", 1)[0] ?? "";
  return line.length > 200 || task.trim().length > line.length ? `${line.slice(0, 200)} […]` : line;
}
function visible(text) {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}
function timeOf(at) {
  return new Date(at).toISOString();
}

// src/hooks/session/locks.ts
var import_node_path4 = require("node:path");

// src/process/identity-darwin.ts
var identity_darwin_exports = {};
__export(identity_darwin_exports, {
  bootedAt: () => bootedAt,
  instantOf: () => instantOf,
  startTimeOf: () => startTimeOf,
  thisPlace: () => thisPlace
});
var import_node_os = require("node:os");
function thisPlace() {
  return { machine: (0, import_node_os.hostname)(), boot: ask("sysctl", ["-n", "kern.boottime"]) ?? "unknown", pidNamespace: "host" };
}
function startTimeOf(pid) {
  const line = ask("ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
  if (line === null || line === "" || line.startsWith("Z")) return null;
  return line.slice(line.indexOf(" ")).trim();
}
function instantOf(startTime) {
  return Date.parse(startTime);
}
function bootedAt() {
  const seconds = /\bsec = (\d+)/.exec(ask("sysctl", ["-n", "kern.boottime"]) ?? "")?.[1];
  return seconds === void 0 ? null : Number(seconds) * 1e3;
}
function ask(command, args) {
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}

// src/process/identity-linux.ts
var identity_linux_exports = {};
__export(identity_linux_exports, {
  bootedAt: () => bootedAt2,
  instantOf: () => instantOf2,
  readGone: () => readGone,
  readRow: () => readRow,
  startTimeOf: () => startTimeOf2,
  thisPlace: () => thisPlace2
});
var import_node_fs2 = require("node:fs");
var import_node_os2 = require("node:os");
var TICK_MS = 10;
function thisPlace2() {
  return {
    machine: readFirstLine("/etc/machine-id") ?? (0, import_node_os2.hostname)(),
    boot: readFirstLine("/proc/sys/kernel/random/boot_id") ?? "unknown",
    pidNamespace: (0, import_node_fs2.readlinkSync)("/proc/self/ns/pid")
  };
}
function startTimeOf2(pid) {
  const row = readRow(pid);
  return row === null || row.isDead ? null : row.startTime;
}
function instantOf2(startTime) {
  const own = readRow(process.pid)?.startTime ?? startTime;
  return performance.timeOrigin + (Number(startTime) - Number(own)) * TICK_MS;
}
function bootedAt2() {
  return instantOf2("0");
}
function readRow(pid) {
  const text = readGone(`/proc/${pid}/stat`);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === void 0 || startTime === void 0) return null;
  return { pid, parent: Number(parent), group: Number(group), startTime, isDead: state === "Z" || state === "X" };
}
function readGone(path) {
  try {
    return (0, import_node_fs2.readFileSync)(path, "latin1");
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}
function readFirstLine(path) {
  const line = readGone(path)?.split("\n", 1)[0];
  return line === void 0 || line === "" ? null : line;
}

// src/process/identity.ts
var platform = process.platform === "darwin" ? identity_darwin_exports : identity_linux_exports;
function thisPlace3() {
  return platform.thisPlace();
}
function identify(pid, place) {
  const startTime = platform.startTimeOf(pid);
  return startTime === null ? null : { pid, startTime, boot: place.boot };
}
function isRunning(identity, place) {
  return identity.boot === place.boot && platform.startTimeOf(identity.pid) === identity.startTime;
}

// src/state/lock.ts
var import_node_fs4 = require("node:fs");
var import_node_path2 = require("node:path");

// src/state/folders.ts
var import_node_fs3 = require("node:fs");
function makePrivateFolder(path) {
  (0, import_node_fs3.mkdirSync)(path, { recursive: true, mode: 448 });
}
function syncFolder(path) {
  const folder = (0, import_node_fs3.openSync)(path, "r");
  try {
    (0, import_node_fs3.fsyncSync)(folder);
  } finally {
    (0, import_node_fs3.closeSync)(folder);
  }
}

// src/state/lock.ts
var LOOKS = 25;
var BETWEEN_LOOKS_MS = 2;
function tryLock(folder, purpose, place) {
  const self = identify(process.pid, place);
  if (self === null) throw new Error("this process does not find itself");
  makePrivateFolder(folder);
  const mine = `holder-${String(process.hrtime.bigint()).padStart(20, "0")}-${process.pid}.json`;
  const path = (0, import_node_path2.join)(folder, mine);
  const holder = { v: 1, ...self, place, purpose };
  (0, import_node_fs4.writeFileSync)((0, import_node_path2.join)(folder, `.${mine}`), `${JSON.stringify(holder)}
`, { mode: 384 });
  (0, import_node_fs4.renameSync)((0, import_node_path2.join)(folder, `.${mine}`), path);
  for (let look = 1; ; look++) {
    const other = otherHolder(folder, mine, place);
    if (other === null) return { got: true, lock: { release: () => removeOwn(path) } };
    if ((0, import_node_path2.basename)(other.file) < mine || look === LOOKS) {
      (0, import_node_fs4.rmSync)(path, { force: true });
      return other;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_LOOKS_MS);
  }
}
function removeOwn(path) {
  try {
    (0, import_node_fs4.unlinkSync)(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
function otherHolder(folder, mine, place) {
  for (const name of (0, import_node_fs4.readdirSync)(folder).sort()) {
    if (name === mine || !name.startsWith("holder-")) continue;
    const file = (0, import_node_path2.join)(folder, name);
    const holder = readHolder(file);
    if (holder === null) continue;
    const rebooted = holder.place.machine === place.machine && holder.place.boot !== place.boot;
    const foreign = holder.place.machine !== place.machine || !rebooted && holder.place.pidNamespace !== place.pidNamespace;
    if (foreign || isRunning(holder, place)) return { got: false, holder, foreign, file };
    (0, import_node_fs4.rmSync)(file, { force: true });
  }
  return null;
}
function readHolder(file) {
  let text;
  try {
    text = (0, import_node_fs4.readFileSync)(file, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    (0, import_node_fs4.rmSync)(file, { force: true });
    return null;
  }
}

// src/hooks/session/check-left.ts
var import_node_fs5 = require("node:fs");
var import_node_path3 = require("node:path");
var RUNNING = "check-running.json";
var WAITING = "cancel-waiting.json";
function noteRunning(folder, pid) {
  write(folder, RUNNING, pid);
}
function forgetRunning(folder) {
  remove(folder, RUNNING);
}
function endLeftCheck(folder) {
  const left = read(folder, RUNNING);
  if (left === null) return;
  if (isRunning(left, thisPlace3())) signalGroup(left.pid, "SIGKILL");
  forgetRunning(folder);
}
function noteWaiting(folder) {
  write(folder, WAITING, process.pid);
}
function forgetWaiting(folder) {
  remove(folder, WAITING);
}
function isSomebodyWaiting(folder) {
  const waiting = read(folder, WAITING);
  return waiting !== null && isRunning(waiting, thisPlace3());
}
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
  }
}
function write(folder, name, pid) {
  const identity = identify(pid, thisPlace3());
  if (identity !== null) (0, import_node_fs5.writeFileSync)((0, import_node_path3.join)(folder, name), `${JSON.stringify(identity)}
`, { mode: 384 });
}
function remove(folder, name) {
  (0, import_node_fs5.rmSync)((0, import_node_path3.join)(folder, name), { force: true });
}
function read(folder, name) {
  try {
    const { pid, startTime, boot } = JSON.parse((0, import_node_fs5.readFileSync)((0, import_node_path3.join)(folder, name), "utf8"));
    return Number.isInteger(pid) && pid > 1 ? { pid, startTime, boot } : null;
  } catch {
    return null;
  }
}

// src/hooks/session/locks.ts
var TRIES = 50;
var BETWEEN_TRIES_MS = 100;
function underBeginLock({ root }, act) {
  return underLock((0, import_node_path4.join)(root.path, "sessions", ".lock"), act);
}
function underLoopLock(folder, act) {
  return underLock(loopLock(folder), act);
}
function underLoopLockAtOnce(folder, act) {
  try {
    return underLock(loopLock(folder), act, () => {
      noteWaiting(folder);
      endLeftCheck(folder);
    });
  } finally {
    forgetWaiting(folder);
  }
}
function underLock(path, act, whileHeld) {
  const place = thisPlace3();
  for (let tried = 0; tried < TRIES; tried++) {
    const attempt = tryLock(path, "command in a session", place);
    if (attempt.got) {
      try {
        return act();
      } finally {
        attempt.lock.release();
      }
    }
    whileHeld?.();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_TRIES_MS);
  }
  return {
    kind: "reply",
    message: "Another hook of ralph is busy with this loop. Try again in a moment.",
    refused: true
  };
}

// src/hooks/session/log.ts
var import_node_fs6 = require("node:fs");
var import_node_path5 = require("node:path");
var LAST_LINES = 5;
function logPath(folder) {
  return (0, import_node_path5.join)(folder, "loop.log");
}
function writeLog(folder, line) {
  (0, import_node_fs6.appendFileSync)(logPath(folder), line, { mode: 384 });
}
function note(folder, state, what) {
  writeLog(folder, loopNoteLine(state, what, state.at));
}
function lastLines(path) {
  try {
    return (0, import_node_fs6.readFileSync)(path, "utf8").trimEnd().split("\n").slice(-LAST_LINES);
  } catch {
    return [];
  }
}

// src/hooks/session/own-time.ts
var import_node_fs7 = require("node:fs");
var TICK_MS2 = 10;
function startedAt() {
  return Date.now() - runningFor();
}
function runningFor() {
  return process.uptime() * 1e3;
}
function bootMoment(boot) {
  return { boot, ms: Math.floor(linuxUptime() ?? Number(process.hrtime.bigint() / 1000000n)) };
}
function wasRunningAt(moment, boot) {
  if (moment.boot !== boot) return false;
  const forked = linuxUptime() === null ? null : readRow(process.pid)?.startTime;
  const began = forked == null ? bootMoment(boot).ms - runningFor() : Number(forked) * TICK_MS2 + TICK_MS2;
  return began <= moment.ms;
}
function linuxUptime() {
  try {
    return Number((0, import_node_fs7.readFileSync)("/proc/uptime", "latin1").split(" ", 1)[0]) * 1e3;
  } catch {
    return null;
  }
}

// src/hooks/session/store.ts
var import_node_fs11 = require("node:fs");
var import_node_path8 = require("node:path");

// src/state/journal.ts
var import_node_fs8 = require("node:fs");
var import_node_path6 = require("node:path");
var import_node_util = require("node:util");
var LF = 10;
function createJournal(path, first, mask) {
  const fd = (0, import_node_fs8.openSync)(path, "ax", 384);
  const journal = journalOn(fd, path, mask);
  journal.append(first);
  journal.syncNow();
  return journal;
}
function openJournal(path, mask) {
  const { records, wholeBytes: wholeBytes2, torn } = readJournal(path);
  const fd = (0, import_node_fs8.openSync)(path, "r+");
  if (torn !== null) {
    (0, import_node_fs8.writeFileSync)(`${path}.torn-${wholeBytes2}`, torn, { mode: 384 });
    (0, import_node_fs8.ftruncateSync)(fd, wholeBytes2);
  }
  (0, import_node_fs8.closeSync)(fd);
  return { journal: journalOn((0, import_node_fs8.openSync)(path, "a"), path, mask), records };
}
function readJournal(path) {
  return parseJournal((0, import_node_fs8.readFileSync)(path), path);
}
function parseJournal(bytes, path) {
  const records = [];
  let wholeBytes2 = 0;
  for (let end2 = bytes.indexOf(LF); end2 >= 0; end2 = bytes.indexOf(LF, wholeBytes2)) {
    const record = parseRecord(bytes.toString("utf8", wholeBytes2, end2), records.length);
    if (record === null) {
      if (holdsRecordAfter(bytes, end2 + 1)) throw damaged(path, records.length + 1);
      break;
    }
    records.push(record);
    wholeBytes2 = end2 + 1;
  }
  return { records, wholeBytes: wholeBytes2, torn: wholeBytes2 === bytes.length ? null : bytes.subarray(wholeBytes2) };
}
function journalOn(fd, path, mask) {
  const syncData = (0, import_node_util.promisify)(import_node_fs8.fdatasync);
  return {
    append(record) {
      const line = Buffer.from(`${lineOf(record, mask)}
`);
      let written = 0;
      try {
        written = (0, import_node_fs8.writeSync)(fd, line);
        if (written < line.length) throw new Error(`only ${written} of ${line.length} bytes were written`);
      } catch (error) {
        throw new RalphError(
          "JOURNAL",
          `cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`,
          {
            hint: errnoOf(error) === "ENOSPC" || written > 0 ? "Make room on the disk, then: ralph resume" : "Then: ralph resume",
            exitCode: 2
          }
        );
      }
    },
    sync: () => syncData(fd),
    syncNow() {
      (0, import_node_fs8.fsyncSync)(fd);
      syncFolder((0, import_node_path6.dirname)(path));
    },
    close: () => (0, import_node_fs8.closeSync)(fd)
  };
}
function lineOf(record, mask) {
  const line = JSON.stringify(record);
  if (!line.includes("\\") && mask(line) === line) return line;
  const result = maskData(record.result, mask);
  const masked = JSON.stringify({ ...record, result, masked: true });
  return JSON.stringify({ ...record, result }) === line ? line : masked;
}
function parseRecord(line, seq) {
  try {
    const record = JSON.parse(line);
    return record.seq === seq && typeof record.v === "number" && typeof record.result?.kind === "string" ? record : null;
  } catch {
    return null;
  }
}
function holdsRecordAfter(bytes, from) {
  return bytes.toString("utf8", from).split("\n").some((line) => line.startsWith('{"v":') && line.endsWith("}"));
}
function damaged(path, line) {
  return new RalphError("JOURNAL_DAMAGED", `${path} is damaged at line ${line}`, {
    hint: "It was not cut off by a crash but changed. Restore it from a copy, or start a new loop.",
    exitCode: 2
  });
}

// src/state/request.ts
var import_node_fs9 = require("node:fs");
var import_node_path7 = require("node:path");
var REQUEST_FILE = "request.json";
function keepRequest(loop, { options }, mask) {
  const text = JSON.stringify(options);
  if (JSON.stringify(maskData(options, mask)) !== text) (0, import_node_fs9.writeFileSync)((0, import_node_path7.join)(loop, REQUEST_FILE), text, { mode: 384 });
}
function withRequest(records, loop) {
  const [first, ...rest] = records;
  const path = (0, import_node_path7.join)(loop, REQUEST_FILE);
  if (first?.masked !== true || first.result.kind !== "created" || !(0, import_node_fs9.existsSync)(path)) return [...records];
  const options = JSON.parse((0, import_node_fs9.readFileSync)(path, "utf8"));
  return [{ ...first, result: { ...first.result, options } }, ...rest];
}

// src/state/projection.ts
var import_node_fs10 = require("node:fs");
function writeProjection(path, content) {
  const next2 = `${path}.next`;
  writeAnew(next2, content, 384);
  (0, import_node_fs10.renameSync)(next2, path);
}
function writeAnew(path, content, mode) {
  try {
    (0, import_node_fs10.writeFileSync)(path, content, { mode, flag: "wx" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    removeFile(path);
    (0, import_node_fs10.writeFileSync)(path, content, { mode, flag: "wx" });
  }
}
function removeFile(path) {
  try {
    (0, import_node_fs10.unlinkSync)(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

// src/state/status.ts
function statusOf(state, createdAt) {
  const { id, door, cwd, iteration, phase } = state;
  const ending = isOver(state) ? state.phase.ending : null;
  return { v: 1, id, door, cwd, createdAt, updatedAt: state.at, iteration, phase: phase.at, ending };
}
function writeStatus(loop, status2) {
  writeProjection(statusPath(loop), `${JSON.stringify(status2)}
`);
}

// src/hooks/session/store.ts
function sessionPlace(root, session) {
  return typeof session === "string" && /^[\w-]{1,100}$/.test(session) ? { root, session } : null;
}
function activeLoop(place) {
  let id;
  try {
    id = (0, import_node_fs11.readFileSync)(pointerPath(place), "utf8").trim();
  } catch {
    return null;
  }
  return isLoopOf(place, id) ? loopFolder(place.root, id) : null;
}
function lastLoop(place) {
  const id = loopIds(place).at(-1);
  return id === void 0 ? null : loopFolder(place.root, id);
}
function taskFile(folder) {
  return (0, import_node_path8.join)(folder, "task.txt");
}
function beginLoop(place, start, about) {
  const { cwd, release, now, mask } = about;
  const id = nextId(place);
  const folder = loopFolder(place.root, id);
  makePrivateFolder(folder);
  (0, import_node_fs11.writeFileSync)(taskFile(folder), start.request.task, { mode: 384 });
  const created = { id, door: "insession", cwd, release, options: start };
  const first = {
    v: RECORD_VERSION,
    seq: 0,
    at: now,
    key: "created",
    attempt: 1,
    result: { kind: "created", ...created }
  };
  keepRequest(folder, created, mask);
  const journal = createJournal(journalPath(folder), first, mask);
  const state = turn(sessionCrank, sessionCrank.begin(withRequest([first], folder)[0] ?? first), null, {
    perform: performAtOnce,
    append: journal.append,
    now
  });
  journal.close();
  writeStatus(folder, statusOf(state, now));
  makePrivateFolder(pointersFolder(place.root));
  (0, import_node_fs11.writeFileSync)(pointerPath(place), `${id}
`, { mode: 384 });
  return { folder, state };
}
function openLoop(folder, mask) {
  const { journal, records } = openJournal(journalPath(folder), mask);
  try {
    return { journal, records, state: fold(sessionCrank, withRequest(records, folder)) };
  } catch (error) {
    journal.close();
    throw error;
  }
}
function readLoop(folder) {
  return fold(sessionCrank, withRequest(readJournal(journalPath(folder)).records, folder));
}
function settle(place, folder, state, createdAt) {
  writeStatus(folder, statusOf(state, createdAt));
  if (isOver(state)) forgetActive(place);
}
function forgetActive(place) {
  (0, import_node_fs11.rmSync)(pointerPath(place), { force: true });
}
function pointersFolder(root) {
  return (0, import_node_path8.join)(root.path, "sessions");
}
function pointerPath({ root, session }) {
  return (0, import_node_path8.join)(pointersFolder(root), session);
}
function nextId(place) {
  const base = `session-${place.session}`;
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}.${number}`;
    if (!(0, import_node_fs11.existsSync)(loopFolder(place.root, id))) return id;
  }
}
function loopIds(place) {
  const folder = loopsFolder(place.root);
  if (!(0, import_node_fs11.existsSync)(folder)) return [];
  return (0, import_node_fs11.readdirSync)(folder).filter((id) => isLoopOf(place, id) && (0, import_node_fs11.existsSync)(journalPath(loopFolder(place.root, id)))).sort((a, b) => numberOf(a) - numberOf(b));
}
function isLoopOf({ session }, id) {
  const base = `session-${session}`;
  return id === base || id.startsWith(`${base}.`) && /^\d{1,6}$/.test(id.slice(base.length + 1));
}
function numberOf(id) {
  const dot = id.lastIndexOf(".");
  return dot < 0 ? 1 : Number(id.slice(dot + 1));
}

// src/hooks/session/telling.ts
function tellingFor({ longestText, unit }, folder) {
  return { longestText, unit, taskFile: taskFile(folder) };
}

// src/core/digest.ts
function digestOf(text) {
  let high = 3735928559;
  let low = 1103547991;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ high >>> 16, 2246822507) ^ Math.imul(low ^ low >>> 13, 3266489909);
  low = Math.imul(low ^ low >>> 16, 2246822507) ^ Math.imul(high ^ high >>> 13, 3266489909);
  return (2 ** 32 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, "0");
}

// src/hooks/session/ask-git.ts
var PATIENCE_MS = 5e3;
function askGit(folder, ...args) {
  const { spawnSync } = require("node:child_process");
  const { status: status2, stdout } = spawnSync("git", ["-C", folder, "--no-optional-locks", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: PATIENCE_MS,
    maxBuffer: 64 * 1024 * 1024
  });
  return status2 === 0 ? stdout : null;
}

// src/hooks/session/tree-print.ts
function treePrint(cwd) {
  const status2 = askGit(cwd, "status", "--porcelain");
  if (status2 === null) return null;
  const changes = askGit(cwd, "diff", "HEAD") ?? askGit(cwd, "diff") ?? "";
  return digestOf([askGit(cwd, "rev-parse", "HEAD") ?? "", status2, changes].join("\n"));
}

// src/hooks/session/commands.ts
var AT_ONCE_MS = 2e3;
function answerCommand(host, event, place) {
  switch (event.command) {
    case "ralph-loop":
    case "ulw-loop":
      return follow(host, event, place, readCommandLine(event.args, { ultrawork: event.command === "ulw-loop" }));
    case "cancel-ralph":
      return cancel(place);
    case "ralph-status":
      return status(host, place);
  }
}
function follow(host, event, place, line) {
  switch (line.kind) {
    case "help":
      return reply(usage(host.slash(process.env)));
    case "wrong":
      return { kind: "reply", message: refusal(line.why, host.slash(process.env)), refused: true };
    case "resume":
      return resume(host, place);
    case "begin":
      return begin2(host, event, place, line.request);
  }
}
function begin2(host, event, place, request) {
  if (isOutOfSight(place)) return { kind: "reply", message: OUT_OF_SIGHT, refused: true };
  return underBeginLock(place, () => {
    const active = activeLoop(place);
    const state = active === null ? null : readLoop(active);
    if (state !== null && !isOver(state)) return alreadyActive(state, request, host.slash(process.env));
    const mask = maskFor(process.env);
    const start = { request, host: host.name, mark: host.markNow(event), tree: treePrint(event.cwd) };
    const about = { cwd: event.cwd, release: "hook", now: Date.now(), mask };
    const { folder, state: begun } = beginLoop(place, start, about);
    note(folder, begun, `begun, at most ${request.maximumIterations} iterations`);
    const context = contractFor(request, tellingFor(host, folder));
    return {
      kind: "tell",
      context,
      notice: `${begunNotice(begun.data, host.slash(process.env))}${capWarning(host, request)}`
    };
  });
}
var OUT_OF_SIGHT = "The loop was not started: Claude Code does not tell its hooks this session's name in CLAUDE_CODE_SESSION_ID, by which the plugin's Stop hook finds a loop. Update Claude Code, or run: ralph install-hooks claude";
function isOutOfSight({ session }) {
  return process.env.RALPH_FRONT === "plugin" && process.env.CLAUDE_CODE_SESSION_ID !== session;
}
function alreadyActive(state, { task }, slash) {
  if (state.iteration === 1 && state.data.request.task === task && isJustNow(state.at)) return { kind: "nothing" };
  const message = `This session is in a Ralph loop already (${statusOfSession(state)}, iteration ${iterationOf(state)}). End it with ${slash}cancel-ralph first${statusOfSession(state) === "CAP_REACHED" ? `, or go on with ${slash}ralph-loop --resume` : ""}.`;
  return { kind: "reply", message, refused: true };
}
function isJustNow(at) {
  return startedAt() - AT_ONCE_MS <= at && at <= Date.now();
}
function capWarning(host, { maximumIterations }) {
  const cap = host.cap(process.env);
  if (cap === null || cap.blocks >= maximumIterations) return "";
  return ` Note: ${host.name} overrules a hook that has refused the end ${cap.blocks} times in a row without a tool call; the loop then stands at CAP_REACHED, and ${host.slash(process.env)}ralph-loop --resume goes on. ${cap.howToLift(maximumIterations + 1)}`;
}
function resume(host, place) {
  const folder = activeLoop(place);
  if (folder === null) return { kind: "reply", message: endedOrNone(place), refused: true };
  return underLoopLock(folder, () => {
    const { journal, records, state } = openLoop(folder, maskFor(process.env));
    try {
      const telling = tellingFor(host, folder);
      if (statusOfSession(state) !== "CAP_REACHED") {
        if (isResumed(records) && isJustNow(state.at)) return { kind: "nothing" };
        return {
          kind: "tell",
          context: contractFor(state.data.request, telling),
          notice: whereItStands(state, host.slash(process.env))
        };
      }
      const now = Date.now();
      const effects = { perform: performAtOnce, append: journal.append, now };
      const after = turn(sessionCrank, state, { kind: "stepped", what: RESUME, gave: null }, effects);
      journal.syncNow();
      settle(place, folder, after, records[0]?.at ?? now);
      note(folder, after, "resumed");
      return {
        kind: "tell",
        context: continuationFor(after, telling),
        notice: whereItStands(after, host.slash(process.env))
      };
    } finally {
      journal.close();
    }
  });
}
function endedOrNone(place) {
  const last = lastLoop(place);
  if (last === null) return NO_LOOP;
  return `${NO_LOOP} The last one of this session has ended: ${statusOfSession(readLoop(last))}.`;
}
function isResumed(records) {
  const last = records.findLast(({ result }) => result.kind === "ran" || result.kind === "stepped");
  return last?.result.kind === "stepped" && last.result.what === RESUME;
}
function cancel(place) {
  const folder = activeLoop(place);
  if (folder === null) {
    const last = lastLoop(place);
    return last === null ? reply(NO_LOOP) : cancelledBefore(readLoop(last));
  }
  return underLoopLockAtOnce(folder, () => {
    const { journal, records, state } = openLoop(folder, maskFor(process.env));
    try {
      if (isOver(state)) {
        settle(place, folder, state, records[0]?.at ?? state.at);
        return cancelledBefore(state);
      }
      const record = {
        v: RECORD_VERSION,
        seq: state.seq + 1,
        at: Date.now(),
        key: "end",
        attempt: 1,
        result: { kind: "ended", ending: { kind: "stopped", reason: "cancelled" } }
      };
      journal.append(record);
      journal.syncNow();
      const after = sessionCrank.apply(state, record);
      settle(place, folder, after, records[0]?.at ?? record.at);
      note(folder, after, "CANCELLED");
      return reply(cancelled(after));
    } finally {
      journal.close();
    }
  });
}
function cancelledBefore(state) {
  return reply(statusOfSession(state) === "CANCELLED" && isJustNow(state.at) ? cancelled(state) : NO_LOOP);
}
function status(host, place) {
  const folder = activeLoop(place) ?? lastLoop(place);
  if (folder === null) return reply(NO_LOOP);
  const log = logPath(folder);
  return reply(statusReport(readLoop(folder), host.slash(process.env), { log, lastLines: lastLines(log) }));
}
function reply(message) {
  return { kind: "reply", message, refused: false };
}

// src/hooks/session/context.ts
function answerRenewed(host, place) {
  const folder = activeLoop(place);
  if (folder === null) return { kind: "nothing" };
  const state = readLoop(folder);
  if (statusOfSession(state) !== "ACTIVE") return { kind: "nothing" };
  return {
    kind: "tell",
    context: contractFor(state.data.request, tellingFor(host, folder)),
    notice: whereItStands(state, host.slash(process.env))
  };
}

// src/hooks/session/new-lines.ts
var import_node_fs12 = require("node:fs");
var import_node_path9 = require("node:path");
var LF2 = 10;
var CHUNK = 1024 * 1024;
function endOf(transcript) {
  const file = transcript === null ? null : openOrNull(transcript);
  if (file === null) return { transcript, offset: 0 };
  try {
    return { transcript, offset: wholeBytes(file) };
  } finally {
    (0, import_node_fs12.closeSync)(file);
  }
}
function newLines(transcript, mark, needles) {
  const file = transcript === null ? null : openOrNull(transcript);
  if (file === null) return null;
  try {
    const { size } = (0, import_node_fs12.fstatSync)(file);
    const from = isMoved(transcript, mark) ? offsetInMoved(file, transcript, mark) : mark.offset;
    if (size < from) return { lines: [], mark: { transcript, offset: size } };
    const { texts, end: end2 } = linesBetween(file, from, size, needles);
    return { lines: texts.map(parsed).filter((line) => line !== null), mark: { transcript, offset: end2 } };
  } finally {
    (0, import_node_fs12.closeSync)(file);
  }
}
function isBehindLine(path, offset) {
  const file = offset === 0 ? null : openOrNull(path);
  if (file === null) return true;
  try {
    return endsLine(file, offset);
  } finally {
    (0, import_node_fs12.closeSync)(file);
  }
}
function isMoved(transcript, mark) {
  return mark.transcript !== null && mark.transcript !== transcript;
}
function offsetInMoved(file, transcript, { transcript: before, offset }) {
  const isSame = (0, import_node_path9.basename)(transcript ?? "") === (0, import_node_path9.basename)(before ?? "") && (offset === 0 || endsLine(file, offset));
  return isSame ? offset : wholeBytes(file);
}
function endsLine(file, offset) {
  const byte = Buffer.alloc(1);
  return (0, import_node_fs12.readSync)(file, byte, 0, 1, offset - 1) === 1 && byte[0] === LF2;
}
function linesBetween(file, from, to, needles) {
  const texts = [];
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, to - from));
  let pieces = [];
  let end2 = from;
  for (let at = from; at < to; ) {
    const bytes = (0, import_node_fs12.readSync)(file, buffer, 0, Math.min(buffer.length, to - at), at);
    if (bytes === 0) break;
    let start = 0;
    for (let lf = buffer.indexOf(LF2); lf >= 0 && lf < bytes; lf = buffer.indexOf(LF2, start)) {
      const rest = buffer.subarray(start, lf);
      const line = pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
      pieces = [];
      if (needles.some((needle) => line.includes(needle))) texts.push(line.toString("utf8"));
      start = lf + 1;
      end2 = at + start;
    }
    if (start < bytes) pieces.push(Buffer.from(buffer.subarray(start, bytes)));
    at += bytes;
  }
  return { texts, end: end2 };
}
function wholeBytes(file) {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  for (let to = (0, import_node_fs12.fstatSync)(file).size; to > 0; ) {
    const from = Math.max(to - buffer.length, 0);
    const bytes = (0, import_node_fs12.readSync)(file, buffer, 0, to - from, from);
    const lf = buffer.subarray(0, bytes).lastIndexOf(LF2);
    if (lf >= 0) return from + lf + 1;
    to = from;
  }
  return 0;
}
function openOrNull(path) {
  try {
    return (0, import_node_fs12.openSync)(path, "r");
  } catch {
    return null;
  }
}
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

// src/hooks/session/claude.ts
var CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";
var USUAL_CAP = 8;
var COMMANDS = ["ralph-loop", "ulw-loop", "cancel-ralph", "ralph-status"];
var claude = {
  name: "claude",
  // What a hook adds to the context is put into a file beyond 10,000 characters.
  longestText: 9500,
  unit: "characters",
  hear,
  markNow: ({ transcript }) => endOf(transcript),
  workSince: (event, mark) => workIn(mark, newLines(event.transcript, mark, ['"type":"assistant"'])),
  say: (event, answer) => {
    const said = answerFor(event, answer);
    return said === null ? "" : `${JSON.stringify(said)}
`;
  },
  cap: (environment) => capFrom(environment[CAP_VARIABLE]),
  // The scripts of the plugin say so; `install-hooks` makes the bare names known.
  slash: ({ RALPH_FRONT }) => RALPH_FRONT === "plugin" ? "/ralph:" : "/"
};
function hear(input) {
  const { session_id: session, hook_event_name: event } = input;
  if (typeof session !== "string" || input.agent_id !== void 0) return null;
  const heard = {
    session,
    cwd: textOf(input.cwd) ?? process.cwd(),
    transcript: textOf(input.transcript_path),
    raw: input
  };
  switch (event) {
    case "Stop":
      return {
        on: "stop",
        ...heard,
        words: textOf(input.last_assistant_message),
        isFresh: input.stop_hook_active !== true
      };
    case "UserPromptExpansion": {
      const name = (textOf(input.command_name) ?? "").replace(/^ralph:/, "");
      const command = COMMANDS.find((known) => known === name);
      return command === void 0 ? null : { on: "command", ...heard, command, args: textOf(input.command_args) ?? "" };
    }
    case "SessionStart":
      return input.source === "resume" || input.source === "compact" ? { on: "context-renewed", ...heard } : null;
    default:
      return null;
  }
}
function workIn(mark, read2) {
  if (read2 === null) {
    return { toolCalls: null, hasOutput: false, texts: [], mark };
  }
  const blocks = read2.lines.flatMap(blocksOf);
  const toolCalls = blocks.filter(({ type }) => type === "tool_use").length;
  const texts = blocks.flatMap(({ type, text }) => type === "text" && typeof text === "string" ? [text] : []);
  return { toolCalls, hasOutput: toolCalls > 0, texts, mark: read2.mark };
}
function blocksOf(line) {
  const { type, isSidechain, message } = line ?? {};
  if (type !== "assistant" || isSidechain === true) return [];
  const { content } = message ?? {};
  return Array.isArray(content) ? content.filter(isFields) : [];
}
function answerFor(event, answer) {
  switch (answer.kind) {
    case "nothing":
      return null;
    case "tell": {
      const hookEventName = event.on === "command" ? "UserPromptExpansion" : "SessionStart";
      const hookSpecificOutput = { hookEventName, additionalContext: answer.context };
      return { hookSpecificOutput, ...answer.notice === null ? {} : { systemMessage: answer.notice } };
    }
    case "reply":
      return { continue: false, stopReason: answer.message };
    case "go-on":
      return { decision: "block", reason: answer.prompt, systemMessage: answer.notice };
    case "stop":
      return answer.notice === null ? null : { systemMessage: answer.notice };
  }
}
function capFrom(value) {
  const number = value === void 0 || value.trim() === "" ? USUAL_CAP : Number(value);
  const blocks = Number.isFinite(number) ? number : USUAL_CAP;
  if (blocks <= 0) return null;
  return {
    blocks,
    howToLift: (needed) => `To lift the limit, put "env": {"${CAP_VARIABLE}": "${needed}"} into ~/.claude/settings.json and start Claude Code again, or begin the loop with: ralph session`
  };
}
function isFields(value) {
  return value !== null && typeof value === "object";
}
function textOf(value) {
  return typeof value === "string" ? value : null;
}

// src/hooks/session/hook-fields.ts
function heardIn(input) {
  const { session_id: session, cwd, transcript_path: transcript } = input;
  if (typeof session !== "string") return null;
  return { session, cwd: textOf2(cwd) ?? "", transcript: textOf2(transcript), raw: input };
}
function isRenewed({ source }) {
  return source === "resume" || source === "compact";
}
function hookAnswer(event, answer, refuse) {
  const said = answerFor2(event, answer, refuse);
  return said === null ? "" : `${JSON.stringify(said)}
`;
}
function answerFor2({ raw }, answer, decision) {
  switch (answer.kind) {
    case "nothing":
      return null;
    case "tell": {
      const hookSpecificOutput = { hookEventName: raw.hook_event_name, additionalContext: answer.context };
      return { hookSpecificOutput, ...noticed(answer.notice) };
    }
    case "reply":
      return { decision, reason: answer.message };
    case "go-on":
      return { decision, reason: answer.prompt, ...noticed(answer.notice) };
    case "stop":
      return answer.notice === null ? null : noticed(answer.notice);
  }
}
function noticed(notice) {
  return notice === null ? {} : { systemMessage: notice };
}
function fieldsOf(value) {
  return value !== null && typeof value === "object" ? value : {};
}
function textOf2(value) {
  return typeof value === "string" ? value : null;
}

// src/hooks/session/typed-command.ts
function typedCommand(signs, text) {
  const found = new RegExp(String.raw`^\s*${signs}(ralph-loop|ulw-loop|cancel-ralph|ralph-status)(?=\s|$)`).exec(text);
  if (found === null) return null;
  return { command: found[1], args: text.slice(found[0].length) };
}

// src/hooks/session/codex.ts
var COMMAND_SIGNS = String.raw`(?:\/(?:prompts:)?|\$)`;
var BRACKETS = "Angle brackets in this message reach you as entities. Write the promise with real angle brackets, as you were told when the loop began.";
var codex = {
  name: "codex",
  // Beyond 10,000 bytes Codex shows both ends of what a hook says, and the file where it has put the whole.
  longestText: 9500,
  unit: "bytes",
  hear: hear2,
  markNow: ({ transcript }) => endOf(transcript),
  workSince: (event, mark) => workIn2(mark, newLines(event.transcript, mark, ['"type":"response_item"'])),
  say: (event, answer) => hookAnswer(event, withBrackets(answer), "block"),
  cap: () => null,
  slash: () => "/"
};
function hear2(input) {
  const heard = heardIn(input);
  if (heard === null || input.agent_id !== void 0) return null;
  switch (input.hook_event_name) {
    case "Stop": {
      const words = textOf2(input.last_assistant_message) ?? "";
      return { on: "stop", ...heard, words, isFresh: input.stop_hook_active !== true };
    }
    case "UserPromptSubmit": {
      const typed = typedCommand(COMMAND_SIGNS, textOf2(input.prompt) ?? "");
      return typed === null ? null : { on: "command", ...heard, ...typed };
    }
    case "SessionStart":
      return isRenewed(input) ? { on: "context-renewed", ...heard } : null;
    default:
      return null;
  }
}
function workIn2(mark, read2) {
  if (read2 === null) {
    return { toolCalls: null, hasOutput: false, texts: [], mark };
  }
  const items = read2.lines.map((line) => fieldsOf(fieldsOf(line).payload));
  return {
    toolCalls: items.filter(({ type }) => textOf2(type)?.endsWith("_call")).length,
    hasOutput: items.some(({ type, output }) => textOf2(type)?.endsWith("_call_output") && isOutput(output)),
    texts: items.flatMap(textsOf),
    mark: read2.mark
  };
}
function textsOf({ type, role, content }) {
  if (type !== "message" || role !== "assistant" || !Array.isArray(content)) return [];
  const text = content.map((part) => textOf2(fieldsOf(part).text) ?? "").join("");
  return text === "" ? [] : [text];
}
function isOutput(output) {
  const text = textOf2(output) ?? JSON.stringify(output ?? "");
  const [, printed = text] = text.split("\nOutput:\n", 2);
  return printed.trim() !== "";
}
function withBrackets(answer) {
  return answer.kind === "go-on" ? { ...answer, prompt: `${answer.prompt}

${BRACKETS}` } : answer;
}

// src/hooks/session/gemini.ts
var BRACKETS2 = "Angle brackets in this message reach you as entities. Write the promise with real angle brackets.";
var gemini = {
  name: "gemini",
  // So many came through whole.
  longestText: 4e5,
  unit: "characters",
  hear: hear3,
  markNow: ({ transcript }) => endOf(transcript),
  workSince: (event, mark) => {
    const read2 = newLines(event.transcript, inNewFile(event, mark) ?? mark, ['"type":"gemini"']);
    return read2 === null ? workWithoutFile(event, mark) : workIn3(read2);
  },
  say: (event, answer) => hookAnswer(event, withBrackets2(answer), "deny"),
  cap: () => null,
  slash: () => "/"
};
function hear3(input) {
  const heard = heardIn(input);
  if (heard === null) return null;
  switch (input.hook_event_name) {
    case "AfterAgent":
      return { on: "stop", ...heard, words: null, isFresh: input.stop_hook_active !== true };
    case "BeforeAgent": {
      const typed = commandIn(textOf2(input.prompt) ?? "");
      return typed === null ? null : { on: "command", ...heard, ...typed };
    }
    case "SessionStart":
      return isRenewed(input) ? { on: "context-renewed", ...heard } : null;
    default:
      return null;
  }
}
var ADDED = /^\s*(?:<hook_context>[\s\S]*?<\/hook_context>\s*)*/;
function commandIn(prompt) {
  const outer = typedCommand("/", prompt.replace(ADDED, ""));
  const inner = outer?.args.startsWith("\n\n/") === true ? typedCommand("/", outer.args) : null;
  return inner !== null && inner.command === outer?.command ? inner : outer;
}
function inNewFile({ transcript }, mark) {
  const isOther = transcript !== null && transcript === mark.transcript && !isBehindLine(transcript, mark.offset);
  return isOther ? { transcript, offset: 0 } : null;
}
function workIn3({ lines, mark }) {
  const messages = lastOfEach(lines.map(fieldsOf).filter(({ type }) => type === "gemini"));
  const calls = messages.flatMap(({ toolCalls }) => Array.isArray(toolCalls) ? toolCalls.map(fieldsOf) : []);
  return {
    toolCalls: calls.length,
    hasOutput: calls.some(({ resultDisplay }) => resultDisplay !== void 0 && resultDisplay !== ""),
    texts: messages.map(({ content }) => textIn(content)).filter((text) => text !== ""),
    mark
  };
}
function lastOfEach(messages) {
  return [...new Map(messages.map((message) => [message.id, message])).values()];
}
function textIn(content) {
  if (!Array.isArray(content)) return textOf2(content) ?? "";
  return content.map((part) => textOf2(fieldsOf(part).text) ?? "").join("");
}
function workWithoutFile({ raw, isFresh }, { transcript, offset }) {
  const said = textOf2(raw.prompt_response) ?? "";
  const seen = transcript === null ? offset : said.length;
  const news = said.slice(isFresh ? 0 : seen);
  const mark = { transcript: null, offset: said.length };
  return { toolCalls: null, hasOutput: false, texts: news === "" ? [] : [news], mark };
}
function withBrackets2(answer) {
  return answer.kind === "tell" ? { ...answer, context: `${answer.context}

${BRACKETS2}` } : answer;
}

// src/hooks/opencode/events.ts
var SESSION_COMMANDS = ["ralph-loop", "ulw-loop", "cancel-ralph", "ralph-status"];

// src/hooks/session/opencode.ts
var opencode = {
  name: "opencode",
  hear(raw) {
    const { session, cwd } = raw;
    if (typeof session !== "string" || typeof cwd !== "string") return null;
    const heard = { session, cwd, transcript: null, raw };
    switch (raw.hook) {
      case "command": {
        const command = SESSION_COMMANDS.find((known) => known === raw.command);
        if (command === void 0 || typeof raw.arguments !== "string") return null;
        return { on: "command", command, args: raw.arguments, ...heard };
      }
      case "idle":
        return { on: "stop", words: lastWords(messagesIn(raw)), isFresh: true, ...heard };
      default:
        return null;
    }
  },
  /** Messages are told apart by the time at which they were made. */
  markNow({ raw }) {
    return { transcript: null, offset: typeof raw.newest === "number" ? raw.newest : 0 };
  },
  workSince(event, mark) {
    const fresh = messagesIn(event.raw).filter(({ at }) => at > mark.offset);
    return {
      toolCalls: fresh.reduce((sum, { tools }) => sum + tools, 0),
      hasOutput: fresh.some(({ hasOutput }) => hasOutput),
      texts: fresh.flatMap(({ texts }) => texts),
      mark: { transcript: null, offset: fresh.at(-1)?.at ?? mark.offset }
    };
  },
  say: (_event, answer) => answer.kind === "nothing" ? "" : JSON.stringify(answer),
  // What a plugin sends is sent whole.
  longestText: Number.MAX_SAFE_INTEGER,
  unit: "characters",
  cap: () => null,
  slash: () => "/"
};
function messagesIn(raw) {
  const { messages } = raw;
  return Array.isArray(messages) ? messages.filter(isMessage) : [];
}
function isMessage(value) {
  if (typeof value !== "object" || value === null) return false;
  const { at, texts, tools, hasOutput } = value;
  const areTexts = Array.isArray(texts) && texts.every((text) => typeof text === "string");
  return areTexts && typeof at === "number" && typeof tools === "number" && typeof hasOutput === "boolean";
}
function lastWords(messages) {
  return messages.at(-1)?.texts.join("\n") ?? "";
}

// src/hooks/session/hosts.ts
var HOSTS = [claude, codex, gemini, opencode];
function hostNamed(name) {
  return HOSTS.find((host) => host.name === name) ?? null;
}

// src/doors/insession/rules-promise.ts
function isPromised({ promise, promisePosition }, texts) {
  const marker = markerOf(promise);
  if (promisePosition === "end") return lastLineOf(texts.findLast((text) => text.trim() !== "") ?? "") === marker;
  return texts.some((text) => text.includes(marker));
}
function lastLineOf(text) {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf("\n") + 1).trim();
}

// src/hooks/session/check.ts
var import_node_fs13 = require("node:fs");
var import_node_path10 = require("node:path");
var import_node_util2 = require("node:util");
var GRACE_MS = 2e3;
var LEAST_MS = 50;
var LAST_WORDS_MS = 200;
var KEPT_BYTES = 256 * 1024;
var LONGEST_KEY = 8192;
var LF3 = 10;
async function runCheck({ spec, folder, cwd, leftMs, mask }) {
  const began = runningFor();
  const ended = leftMs < LEAST_MS ? NOT_STARTED : await runInGroup(spec, { cwd, folder, leftMs });
  if (ended.isBrokenOff || isSomebodyWaiting(folder)) return null;
  const { exit, printed, isCut } = ended;
  const passed = exit.by === "code" && exit.code === 0;
  const text = mask(printable(printed));
  (0, import_node_fs13.writeFileSync)((0, import_node_path10.join)(folder, spec.log), text, { mode: 384 });
  const characters = passed ? [] : [...text];
  return {
    index: spec.index,
    exit,
    passed,
    log: spec.log,
    output: characters.slice(0, spec.keepChars).join(""),
    truncated: isCut || characters.length > spec.keepChars,
    durationMs: Math.round(runningFor() - began)
  };
}
var NOT_STARTED = { exit: timedOut(0), printed: "", isCut: false, isBrokenOff: false };
function runInGroup({ command }, { cwd, folder, leftMs }) {
  const { spawn } = require("node:child_process");
  const env = userEnvironment(process.env);
  const child = spawn("sh", ["-c", `exec 2>&1
${command}`], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"]
  });
  const kept = keepBeginning(child);
  const { pid } = child;
  return new Promise((resolve2) => {
    let isExpired = false;
    let isBrokenOff = false;
    let goneFolder = "";
    const endGroup = (signal) => {
      if (pid !== void 0) signalGroup(pid, signal);
    };
    const graceMs = Math.min(GRACE_MS, leftMs / 4);
    const expire = () => {
      isExpired = true;
      endGroup("SIGTERM");
      setTimeout(() => endGroup("SIGKILL"), graceMs).unref();
    };
    const timer = setTimeout(expire, leftMs - graceMs);
    const toldToEnd = () => {
      isBrokenOff = true;
      endGroup("SIGKILL");
    };
    process.once("SIGTERM", toldToEnd).once("SIGINT", toldToEnd).once("SIGHUP", toldToEnd);
    const finish = (exit) => {
      clearTimeout(timer);
      endGroup("SIGKILL");
      forgetRunning(folder);
      process.off("SIGTERM", toldToEnd).off("SIGINT", toldToEnd).off("SIGHUP", toldToEnd);
      const told = () => {
        child.stdout?.destroy();
        const { printed, isCut } = kept();
        resolve2({ exit, isBrokenOff, printed: `${goneFolder}${printed}`, isCut });
      };
      const patience = setTimeout(told, LAST_WORDS_MS);
      child.once("close", () => {
        clearTimeout(patience);
        told();
      });
    };
    child.once("error", () => {
      goneFolder = (0, import_node_fs13.existsSync)(cwd) ? "" : `The folder that this check runs in is gone: ${cwd}
`;
      finish({ by: "code", code: 127 });
    });
    child.once("exit", (code, signal) => {
      if (isExpired) finish(timedOut(leftMs));
      else finish(code === null ? { by: "signal", signal: signal ?? "SIGKILL" } : { by: "code", code });
    });
    if (pid !== void 0) noteRunning(folder, pid);
  });
}
function keepBeginning({ stdout }) {
  const chunks = [];
  let room = KEPT_BYTES;
  let isCut = false;
  stdout?.on("data", (chunk) => {
    isCut ||= chunk.length > room;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= Math.min(room, chunk.length);
  });
  return () => {
    const printed = Buffer.concat(chunks);
    const end2 = isCut ? Math.max(printed.lastIndexOf(LF3) + 1, printed.length - LONGEST_KEY) : printed.length;
    return { printed: printed.toString("utf8", 0, end2), isCut };
  };
}
function userEnvironment(environment) {
  const env = { ...environment };
  for (const name of ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"]) {
    const kept = env[`RALPH_KEPT_${name}`];
    if (kept !== void 0 && kept !== "") env[name] = kept;
    delete env[`RALPH_KEPT_${name}`];
  }
  return env;
}
function timedOut(afterMs) {
  return { by: "timeout", afterMs: Math.round(afterMs) };
}
function printable(text) {
  return (0, import_node_util2.stripVTControlCharacters)(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

// src/hooks/session/settled-work.ts
var PATIENCE_MS2 = 2e3;
var LOOK_EVERY_MS = 20;
async function settledWork(host, event, data) {
  for (const end2 = runningFor() + PATIENCE_MS2; ; await aMoment()) {
    const seen = host.workSince(event, data.mark);
    const work = { ...seen, texts: withoutKnown(seen.texts, data.late) };
    if (!isBehind(event, work) || !wouldBeRejected(event, work, data) || runningFor() > end2) return work;
  }
}
function aMoment() {
  return new Promise((resolve2) => setTimeout(resolve2, LOOK_EVERY_MS));
}
function isBehind({ words, transcript }, { texts }) {
  const said = words?.trim() ?? "";
  return transcript !== null && said !== "" && !texts.some((text) => text.trim() === said);
}
function wouldBeRejected({ words }, { texts, toolCalls }, { request, toolCalls: before }) {
  const isTooLittle = before + (toolCalls ?? 0) < request.minToolCalls;
  return isTooLittle && request.onPromiseNoWork !== "accept" && isPromised(request, [...texts, words ?? ""]);
}
function withoutKnown(texts, late) {
  const known = late === null ? -1 : texts.findIndex((text) => digestOf(text.trim()) === late);
  return known < 0 ? texts : texts.filter((_, index) => index !== known);
}

// src/hooks/session/worktree.ts
var import_node_fs14 = require("node:fs");
var import_node_path11 = require("node:path");
function placeInWorktree(begun, now) {
  if (now === begun || now === "") return null;
  const [before, after] = [worktreeOf(begun), worktreeOf(now)];
  if (before === null || after === null) return null;
  if (before.repository !== after.repository || before.top === after.top) return null;
  const place = (0, import_node_path11.resolve)(after.top, before.inside);
  return (0, import_node_fs14.existsSync)(place) ? place : after.top;
}
function worktreeOf(folder) {
  const asked = ["--path-format=absolute", "--show-toplevel", "--git-common-dir", "--show-prefix"];
  const [top = "", repository = "", inside = ""] = askGit(folder, "rev-parse", ...asked)?.split("\n") ?? [];
  return top === "" || repository === "" ? null : { top, repository, inside };
}

// src/hooks/session/stop.ts
var LONGEST_LINE = 200;
async function answerStop(host, event, place) {
  const folder = activeLoop(place);
  if (folder === null) return { kind: "nothing" };
  const here = thisPlace3();
  const attempt = tryLock(loopLock(folder), "Stop hook", here);
  if (!attempt.got) return { kind: "nothing" };
  try {
    const mask = maskFor(process.env);
    const loop = openLoop(folder, mask);
    try {
      if (isSameTurn(loop.records, here.boot)) return { kind: "nothing" };
      const after = await turnLoop(host, event, folder, loop, { mask, boot: here.boot });
      if (after === null) return { kind: "nothing" };
      loop.journal.syncNow();
      settle(place, folder, after, loop.records[0]?.at ?? after.at);
      const status2 = statusOfSession(after);
      if (after.seq !== loop.state.seq) writeLog(folder, mask(logLine(after, status2, after.at)));
      if (status2 !== "ACTIVE") return { kind: "stop", notice: noticeFor(host, event, after, loop.state) };
      const telling = tellingFor(host, folder);
      return {
        kind: "go-on",
        prompt: continuationFor(after, telling),
        notice: goOnNotice(after, host.slash(process.env))
      };
    } finally {
      loop.journal.close();
    }
  } finally {
    attempt.lock.release();
  }
}
function isSameTurn(records, boot) {
  const last = records.findLast(({ result }) => result.kind === "ran")?.result;
  const { recordedAt } = (last?.kind === "ran" ? last.seen : null) ?? {};
  return recordedAt !== void 0 && wasRunningAt(recordedAt, boot);
}
async function turnLoop(host, event, folder, loop, { mask, boot }) {
  const began = runningFor();
  let isTimeUp = false;
  const { append } = loop.journal;
  const { cwd } = loop.state;
  const turned = (from, result) => turn(sessionCrank, from, result, { perform: (action) => perform(action, cwd), append, now: Date.now() });
  let state = isBetweenTurns(loop.state) ? turned(loop.state, null) : loop.state;
  let brought = state.phase.at === "await" ? await ranFrom(host, event, state, boot) : null;
  for (; ; ) {
    state = turned(state, brought);
    const action = isOver(state) ? null : sessionCrank.next(state);
    if (action?.do !== "check") return state;
    endLeftCheck(folder);
    const leftMs = isTimeUp ? 0 : (action.check.timeoutMs ?? 0) - (runningFor() - began);
    const place = state.data.worktree ?? cwd;
    const checked = await runCheck({ spec: action.check, folder, cwd: place, leftMs, mask });
    if (checked === null) return null;
    isTimeUp ||= checked.exit.by === "timeout";
    brought = { kind: "checked", ...checked };
  }
}
function isBetweenTurns({ phase }) {
  return phase.at === "wait" || phase.at === "inputs" || phase.at === "start";
}
function perform(action, tree) {
  if (action.do === "step" && action.what === LOOK_AT_TREE) {
    return { kind: "stepped", what: LOOK_AT_TREE, gave: treePrint(tree) };
  }
  return performAtOnce(action);
}
async function ranFrom(host, event, { data, cwd }, boot) {
  const work = await settledWork(host, event, data);
  const { texts } = work;
  const words = event.words ?? texts.at(-1) ?? "";
  const cap = host.cap(process.env)?.blocks ?? null;
  const isGiven = isPromised(data.request, [...texts, words]);
  const worktree = isGiven && data.request.checks.length > 0 ? placeInWorktree(cwd, event.cwd) : null;
  const seen = {
    toolCalls: work.toolCalls,
    hasOutput: work.hasOutput,
    reply: digestOf(words),
    late: isBehind(event, work) ? digestOf(words.trim()) : null,
    mark: work.mark,
    isFresh: event.isFresh,
    isSilent: work.toolCalls === 0 && texts.length === 0 && words === "",
    cap,
    ...worktree === null ? {} : { worktree },
    recordedAt: bootMoment(boot)
  };
  return {
    kind: "ran",
    outcome: { kind: "worked" },
    said: {
      tag: isGiven ? data.request.promise : null,
      firstLine: words.split("\n", 1)[0]?.slice(0, LONGEST_LINE) ?? null
    },
    transcript: { path: work.mark.transcript ?? "", bytes: work.mark.offset },
    ...work.toolCalls === null ? {} : { toolCalls: work.toolCalls },
    seen
  };
}
function noticeFor(host, { words }, after, before) {
  const slash = host.slash(process.env);
  if (after.seq === before.seq) return isPromised(after.data.request, [words ?? ""]) ? unheardPromise(slash) : null;
  const cap = host.cap(process.env);
  return endNotice(after, slash, cap?.howToLift(after.data.request.maximumIterations + 1) ?? null);
}

// src/hooks/session/stories-first.ts
var import_node_fs15 = require("node:fs");
function askStories(input, hook, project) {
  if (hook === void 0 || project === void 0) return { isHeld: false, notice: null };
  const { spawnSync } = require("node:child_process");
  const { stdout, stderr } = spawnSync(process.execPath, [hook, project], {
    input: JSON.stringify(input),
    encoding: "utf8"
  });
  if (stderr !== "") (0, import_node_fs15.writeSync)(2, stderr);
  if (!stdout.includes('"decision":"block"')) return { isHeld: false, notice: noticeIn(stdout) };
  (0, import_node_fs15.writeSync)(1, stdout);
  return { isHeld: true, notice: null };
}
function withNotice(answer, notice) {
  if (notice === null || answer.kind === "reply") return answer;
  if (answer.kind === "nothing") return { kind: "stop", notice };
  return { ...answer, notice: answer.notice === null ? notice : `${notice}
${answer.notice}` };
}
function noticeIn(stdout) {
  if (stdout.trim() === "") return null;
  const { systemMessage } = JSON.parse(stdout);
  return systemMessage ?? null;
}

// src/hooks/session-loop.ts
async function main() {
  const host = hostNamed(process.argv[2]);
  if (host === null) throw new Error(`"${process.argv[2] ?? ""}" is no host of a loop`);
  const input = readInput();
  const stories = askStories(input, process.argv[3], process.argv[4]);
  if (stories.isHeld) return;
  const event = host.hear(input, process.env);
  const place = event === null ? null : sessionPlace(stateRoot(process.env), event.session);
  if (event === null || place === null) return;
  write2(host.say(event, withNotice(await answerOrTrouble(host, event, place), stories.notice)));
}
async function answerOrTrouble(host, event, place) {
  try {
    switch (event.on) {
      case "command":
        return answerCommand(host, event, place);
      case "stop":
        return await answerStop(host, event, place);
      case "context-renewed":
        return answerRenewed(host, place);
    }
  } catch (error) {
    return trouble(host, event, place, maskFor(process.env)(error instanceof Error ? error.message : String(error)));
  }
}
function trouble(host, event, place, reason) {
  if (!isReadable(place)) forgetActive(place);
  const message = `ralph: the loop of this session could not go on: ${reason}. It does not hold the session; ${host.slash(process.env)}ralph-status tells what is left of it.`;
  return event.on === "command" ? { kind: "reply", message, refused: true } : { kind: "stop", notice: message };
}
function isReadable(place) {
  try {
    const folder = activeLoop(place);
    if (folder !== null) readLoop(folder);
    return true;
  } catch {
    return false;
  }
}
function write2(text) {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += (0, import_node_fs16.writeSync)(1, bytes, written);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
main().catch((error) => {
  (0, import_node_fs16.writeSync)(2, `ralph: the hook of the loop failed: ${error instanceof Error ? error.message : String(error)}
`);
  process.exitCode = 1;
});
