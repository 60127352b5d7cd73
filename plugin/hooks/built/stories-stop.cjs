"use strict";
var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// src/hooks/stories-stop.ts
var import_node_fs6 = require("node:fs");
var import_node_path = require("node:path");

// src/doors/stories/rules-wording.ts
var LONGEST = 80;
function cut(text) {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
function quoted(value) {
  if (typeof value === "string") return `'${cut(value)}'`;
  return value === void 0 ? "nothing" : cut(JSON.stringify(value));
}
function changed(field, before, after2) {
  return `${field} ${quoted(before)} → ${quoted(after2)}`;
}

// src/doors/stories/rules-criteria.ts
function movedCriteria(before, after2, isNew) {
  const arrived = counted(
    after2.userStories.flatMap(({ id, acceptanceCriteria }) => isNew(id) ? acceptanceCriteria : [])
  );
  const problems = [];
  const split = /* @__PURE__ */ new Set();
  for (const { id, acceptanceCriteria: is2 } of after2.userStories) {
    const was = before.get(id)?.acceptanceCriteria;
    if (was === void 0) continue;
    const gone = missingFrom(counted(is2), was);
    const lost = missingFrom(arrived, gone);
    if (lost.length < gone.length) split.add(id);
    problems.push(
      ...lost.map(
        (criterion) => `Story ${cut(id)} lost its acceptance criterion ${quoted(criterion)}. Criteria may be added, and move to a story that this iteration adds, never be struck out or reworded: put it back word for word. Illegal transition: ${changed("acceptanceCriteria", was, is2)}.`
      )
    );
  }
  return { problems, split };
}
function counted(texts) {
  const counts = /* @__PURE__ */ new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
function missingFrom(there, wanted) {
  return wanted.filter((text) => {
    const left = there.get(text) ?? 0;
    there.set(text, left - 1);
    return left <= 0;
  });
}

// src/doors/stories/rules-dependencies.ts
function unreachableStories(before, { userStories }) {
  if (userStories.every(({ dependsOn = [] }) => dependsOn.length === 0)) return [];
  const after2 = new Map(userStories.map((story) => [story.id, story]));
  const [were, are] = [neverReady(before), neverReady(after2)];
  return userStories.filter(({ id }) => are.has(id) && !(before.has(id) && (were.has(id) || before.get(id)?.dependsOn === void 0))).map(({ id, dependsOn = [] }) => {
    const blame = dependsOn.filter((one) => are.has(one) || !after2.has(one));
    return `Story ${cut(id)} can never be done: its dependsOn names ${blame.map(quoted).join(", ")}, which is not in the list or waits for it in turn. Let it depend on stories that can be done.`;
  });
}
function neverReady(stories) {
  const waitingFor = /* @__PURE__ */ new Map();
  const waiters = /* @__PURE__ */ new Map();
  for (const [id, { passes, reviewStatus, dependsOn = [] }] of stories) {
    const others = new Set(passes || reviewStatus !== null ? [] : dependsOn);
    waitingFor.set(id, others);
    for (const other of others) {
      const known = waiters.get(other);
      if (known === void 0) waiters.set(other, [id]);
      else known.push(id);
    }
  }
  const ready = [...waitingFor.keys()].filter((id) => waitingFor.get(id)?.size === 0);
  for (const id of ready) {
    waitingFor.delete(id);
    for (const waiter of waiters.get(id) ?? []) {
      const others = waitingFor.get(waiter);
      others?.delete(id);
      if (others?.size === 0) ready.push(waiter);
    }
  }
  return new Set(waitingFor.keys());
}

// src/doors/stories/rules-integrity.ts
function integrityProblems(after2, reviewCap, before) {
  return after2.userStories.flatMap((story) => [
    ...outOfSync(story),
    ...tooManyReviews(story, reviewCap, before?.get(story.id)?.reviewCount ?? 0)
  ]);
}
function outOfSync({ id, passes, reviewStatus, reviewFeedback }) {
  const story = `Story ${cut(id)}`;
  const problems = [];
  if (passes && reviewStatus !== "approved")
    problems.push(
      `${story} has passes=true but reviewStatus is ${quoted(reviewStatus ?? "null")}, not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`
    );
  if (!passes && reviewStatus === "approved")
    problems.push(`${story} has reviewStatus='approved' but passes=false. These fields must be in sync.`);
  if (reviewStatus === "changes_requested" && reviewFeedback.trim() === "")
    problems.push(
      `${story} has reviewStatus='changes_requested' but empty reviewFeedback. Review must explain what needs fixing.`
    );
  return problems;
}
function tooManyReviews({ id, reviewCount }, reviewCap, countBefore) {
  if (reviewCount <= reviewCap + 1 || reviewCount <= countBefore + 1) return [];
  return [
    `Story ${cut(id)} has reviewCount=${reviewCount} which exceeds reviewCap+1 (${reviewCap + 1}). Possible corruption.`
  ];
}

// src/doors/stories/rules-snapshot.ts
function deletedStories(before, after2) {
  const here = new Set(after2.userStories.map(({ id }) => id));
  return [...before.keys()].filter((id) => !here.has(id)).map(
    (id) => `Story ${cut(id)} was deleted. Stories may be added, split and reordered, never removed: put it back under its id (a split story keeps its id for the first part).`
  );
}

// src/doors/stories/rules-json.ts
function isFields(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isStrings(value) {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
function parsedJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// src/doors/stories/rules-json-fault.ts
var SPACE = /[ \t\n\r]*/y;
var PLAIN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
var ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
var FIRST_PRINTABLE = 32;
function faultIn(text) {
  const open = [];
  let wanted = "value";
  let at = 0;
  for (; ; ) {
    at = after(SPACE, text, at) ?? at;
    const next = text[at] ?? "nothing";
    const isClosing = wanted === "more" ? next === open.at(-1) : wanted.endsWith(` ${next}`);
    if (wanted === "more" && open.length === 0) return next === "nothing" ? null : placeOf(text, at);
    if (isClosing) {
      open.pop();
      at++;
      wanted = "more";
    } else if (wanted === "more" && next === ",") {
      at++;
      wanted = open.at(-1) === "}" ? "key" : "value";
    } else if (wanted === ":" && next === ":") {
      at++;
      wanted = "value";
    } else if (wanted.startsWith("value") && (next === "{" || next === "[")) {
      open.push(next === "{" ? "}" : "]");
      at++;
      wanted = next === "{" ? "key or }" : "value or ]";
    } else if (wanted.startsWith("value") && next !== '"') {
      const end = after(PLAIN, text, at);
      if (end === null) return placeOf(text, at);
      at = end;
      wanted = "more";
    } else if (next === '"' && wanted !== "more" && wanted !== ":") {
      const { end, isWhole } = stringFrom(text, at);
      if (!isWhole) return placeOf(text, end);
      at = end;
      wanted = wanted.startsWith("key") ? ":" : "more";
    } else return placeOf(text, at);
  }
}
function after(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
function stringFrom(text, start) {
  let at = start + 1;
  while (at < text.length) {
    const unit = text[at];
    if (unit === '"') return { end: at + 1, isWhole: true };
    const end = unit === "\\" ? after(ESCAPE, text, at) : at + 1;
    if (end === null || text.charCodeAt(at) < FIRST_PRINTABLE) break;
    at = end;
  }
  return { end: at, isWhole: false };
}
function placeOf(text, at) {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

// src/doors/stories/rules-tasks.ts
var REVIEW_STATUSES = ["needs_review", "changes_requested", "approved"];
function readTasks(text, shownPath = "ralph/tasks.json") {
  const value = text === null ? void 0 : parsedJson(text);
  if (value === void 0) return { isValid: false, problems: [`Cannot read or parse ${shownPath}${whereIn(text)}`] };
  const problems = isFields(value) ? problemsOfFile(value) : ["tasks.json must be an object"];
  const tasks = value;
  if (problems.length === 0) return { isValid: true, tasks };
  const isForgotten = problems.every((problem) => problem.endsWith(UNDOCUMENTED));
  return { isValid: false, problems, ...isForgotten ? { undocumented: tasks } : {} };
}
function whereIn(text) {
  const fault = text === null ? null : faultIn(text);
  return fault === null ? "" : ` (line ${fault.line}, column ${fault.column})`;
}
var UNDOCUMENTED = "has passes=true but empty 'notes' — document what was done";
var ASCII = /^[!-~]*$/;
var UNREADABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
var REQUIRED = {
  id: "string",
  title: "string",
  passes: "boolean",
  priority: "number",
  acceptanceCriteria: "strings",
  reviewStatus: "any",
  reviewCount: "number",
  reviewFeedback: "string"
};
var OPTIONAL = { description: "string", notes: "string", dependsOn: "strings" };
function problemsOfFile(file) {
  const problems = [];
  for (const field of ["project", "branchName", "description", "userStories"]) {
    if (!Object.hasOwn(file, field)) problems.push(`tasks.json missing required top-level field: '${field}'`);
    else if (field !== "userStories" && typeof file[field] !== "string")
      problems.push(`tasks.json '${field}' must be a string`);
  }
  if (Object.hasOwn(file, "verifyCommands") && !isStrings(file.verifyCommands))
    problems.push("tasks.json 'verifyCommands' must be an array of strings");
  const stories = file.userStories;
  if (Array.isArray(stories)) problems.push(...stories.flatMap(problemsOfStory), ...duplicateIds(stories));
  else if (Object.hasOwn(file, "userStories")) problems.push("tasks.json 'userStories' must be an array");
  return problems;
}
function problemsOfStory(story, index) {
  if (!isFields(story)) return [`Story at position ${index + 1}: must be an object`];
  const name = typeof story.id === "string" && story.id !== "" ? cut(story.id) : `at position ${index + 1}`;
  const wrong = (what) => `Story ${name}: ${what}`;
  const shape = [
    ...Object.entries(REQUIRED).flatMap(([field, kind]) => {
      if (!Object.hasOwn(story, field)) return [`missing required field '${field}'`];
      return kind === "any" ? [] : wrongType(story, field, kind);
    }),
    ...Object.entries(OPTIONAL).flatMap(
      ([field, kind]) => Object.hasOwn(story, field) ? wrongType(story, field, kind) : []
    )
  ];
  return [...shape, ...wrongValues(story)].map(wrong);
}
function wrongType(story, field, kind) {
  if (is(story[field], kind)) return [];
  return [`field '${field}' has wrong type (expected ${kind === "strings" ? "array of strings" : kind})`];
}
function wrongValues({ id, acceptanceCriteria, reviewStatus, reviewCount, passes, notes }) {
  const problems = [];
  if (id === "") problems.push("'id' must not be empty");
  if (typeof id === "string" && !ASCII.test(id) && UNREADABLE.test(id))
    problems.push("'id' must not contain control or invisible characters");
  if (Array.isArray(acceptanceCriteria) && acceptanceCriteria.length === 0)
    problems.push("'acceptanceCriteria' must not be empty");
  if (reviewStatus !== void 0 && reviewStatus !== null && !REVIEW_STATUSES.some((one) => one === reviewStatus))
    problems.push(
      `'reviewStatus' is ${quoted(reviewStatus)}, must be null or one of: needs_review, changes_requested, approved`
    );
  if (typeof reviewCount === "number" && reviewCount < 0)
    problems.push(`'reviewCount' must be non-negative (got ${reviewCount})`);
  else if (typeof reviewCount === "number" && !Number.isSafeInteger(reviewCount))
    problems.push(`'reviewCount' must be an integer (got ${reviewCount})`);
  if (passes === true && (typeof notes !== "string" || notes.trim() === "")) problems.push(UNDOCUMENTED);
  return problems;
}
function duplicateIds(stories) {
  const ids = stories.map((story) => isFields(story) ? story.id : void 0).filter((id) => typeof id === "string");
  const looks = ids.map(looksLike);
  const twice = new Set(ids.filter((_id, index) => looks.indexOf(looks[index] ?? "") !== index));
  return [...twice].map((id) => `Duplicate story ID: ${quoted(id)}`);
}
function looksLike(id) {
  return ASCII.test(id) ? id : id.normalize("NFKC").replaceAll(new RegExp("\\p{Pd}", "gu"), "-");
}
function is(value, kind) {
  return kind === "strings" ? isStrings(value) : typeof value === kind;
}

// src/doors/stories/rules-transitions.ts
var CAP_PREFIX = "[AUTO-APPROVED AT CAP]";
var REVIEW_FIELDS = ["passes", "reviewStatus", "reviewCount"];
function judgeTransitions(before, after2, judging) {
  const pairs = after2.userStories.flatMap((is2) => {
    const was = before.get(is2.id);
    return was === void 0 ? [] : [{ was, is: is2, changes: changesOf(was, is2) }];
  });
  const touched = pairs.filter(({ changes }) => changes.length > 0);
  const added = after2.userStories.filter(({ id }) => !before.has(id));
  const open = new Map([...before].filter(([, { reviewStatus }]) => reviewStatus === null));
  const { problems: lost, split } = judging.mode === "implement" ? movedCriteria(open, after2, (id) => !before.has(id)) : { problems: [], split: /* @__PURE__ */ new Set() };
  const always = [
    ...added.flatMap(problemsOfNew),
    ...lost,
    ...pairs.flatMap((pair) => rewritten(pair, judging.mode, split)),
    ...pairs.flatMap((pair) => strayFeedback(pair, judging.mode))
  ];
  const only = (problems) => ({ problems, noVerdict: null, atCap: null });
  switch (judging.mode) {
    case "implement":
      return only([...implementProblems(touched), ...always]);
    case "review-fix":
      return only([...fixProblems(touched), ...always]);
    case "review":
      return reviewed(touched, judging, always);
  }
}
function changesOf(was, is2) {
  const isRepaired = was.passes && !is2.passes && was.reviewStatus !== "approved";
  return REVIEW_FIELDS.filter((field) => was[field] !== is2[field] && !(field === "passes" && isRepaired));
}
function implementProblems(touched) {
  const submitted = touched.filter(isSubmission);
  const illegal2 = touched.flatMap(
    (pair) => pair.changes.filter((field) => field !== "reviewStatus" || !submitted.includes(pair)).map(
      (field) => `Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story ${cut(pair.is.id)} had illegal transition: ${changed(field, pair.was[field], pair.is[field])}.`
    )
  );
  if (submitted.length <= 1) return illegal2;
  return [
    ...illegal2,
    `Implement iterations may submit at most one story for review. Found ${submitted.length} stories transitioning reviewStatus null → 'needs_review' (${idsOf(submitted)}).`
  ];
}
function isSubmission({ was, is: is2 }) {
  return was.reviewStatus === null && is2.reviewStatus === "needs_review";
}
function fixProblems(touched) {
  const again = touched.filter(
    ({ was, is: is2 }) => was.reviewStatus === "changes_requested" && is2.reviewStatus === "needs_review"
  );
  const illegal2 = touched.flatMap(
    ({ was, is: is2, changes }) => changes.flatMap((field) => {
      if (field === "reviewStatus" && again.some((pair) => pair.is === is2)) return [];
      const transition2 = changed(field, was[field], is2[field]);
      if (was.reviewStatus !== "changes_requested")
        return [
          `Review-fix iterations may only re-submit a story that a review sent back (reviewStatus='changes_requested'). Story ${cut(is2.id)} had illegal transition: ${transition2}.`
        ];
      return [
        `Review-fix iterations cannot approve stories. Story ${cut(is2.id)} must go back to needs_review for re-review. Illegal transition: ${transition2}.`
      ];
    })
  );
  const uncleared = again.filter(({ is: is2 }) => is2.reviewFeedback.trim() !== "").map(
    ({ was, is: is2 }) => `Review-fix iterations must clear reviewFeedback when they re-submit. Story ${cut(is2.id)} had illegal transition: ${changed("reviewFeedback", was.reviewFeedback, is2.reviewFeedback)}.`
  );
  const several = again.length > 1 ? [
    `Review-fix iterations may re-submit at most one story. Found ${again.length} stories transitioning reviewStatus 'changes_requested' → 'needs_review' (${idsOf(again)}).`
  ] : [];
  return [...illegal2, ...uncleared, ...several];
}
function reviewed(touched, judging, always) {
  const [pair, ...others] = touched;
  if (pair === void 0) {
    const story = judging.story === null ? "" : ` on story ${cut(judging.story)}`;
    const reason = `Review iteration ended without a verdict${story}: reviewCount must increment by exactly 1, and reviewStatus must change from 'needs_review' to 'approved' (with passes=true) or 'changes_requested' (with reviewFeedback).`;
    return { problems: always, noVerdict: always.length === 0 ? reason : null, atCap: null };
  }
  if (others.length > 0) {
    const several = `Review iteration made illegal transition: modified review fields on multiple stories (${idsOf(touched)}). Review may only modify one story per iteration. Illegal transitions: ${touched.map(transitionsOf).join("; ")}.`;
    return { problems: [several, ...always], noVerdict: null, atCap: null };
  }
  const illegal2 = (details) => `Review iteration made illegal transition on story ${cut(pair.is.id)}: ${details}.`;
  const problems = [...verdictProblems(pair, judging).map(illegal2), ...always];
  return { problems, noVerdict: null, atCap: problems.length === 0 ? wrongAtCap(pair, judging, illegal2) : null };
}
function wrongAtCap(pair, judging, illegal2) {
  const { is: is2 } = pair;
  if (!isLastReview(reviewsOf(pair, judging), judging.reviewCap)) return null;
  const which = `this was review ${is2.reviewCount} and the review cap is ${judging.reviewCap}`;
  if (is2.reviewStatus === "changes_requested") {
    const details2 = `reviewStatus 'needs_review' → 'changes_requested', but ${which}. Approve it (reviewStatus='approved', passes=true) and keep the remaining concerns in reviewFeedback, prefixed with ${CAP_PREFIX}`;
    return { story: is2.id, wasApproved: false, reason: illegal2(details2) };
  }
  if (is2.reviewFeedback.trim() === "" || is2.reviewFeedback.startsWith(CAP_PREFIX)) return null;
  const details = `it is approved with reviewFeedback ${quoted(is2.reviewFeedback)}, and ${which}. Keep what is left to say, and prefix it with ${CAP_PREFIX}`;
  return { story: is2.id, wasApproved: true, reason: illegal2(details) };
}
function reviewsOf({ was, is: is2 }, { reviews }) {
  return reviews?.get(is2.id) ?? was.reviewCount;
}
function verdictProblems(pair, judging) {
  const { was, is: is2 } = pair;
  const details = [];
  if (was.reviewStatus !== "needs_review")
    details.push(
      `only a story with reviewStatus='needs_review' may be reviewed, and it was never submitted (${changed("reviewStatus", was.reviewStatus, is2.reviewStatus)})`
    );
  if (is2.reviewCount !== was.reviewCount + 1)
    details.push(`reviewCount must increment by exactly 1 (was ${was.reviewCount}, now ${is2.reviewCount})`);
  if (is2.reviewStatus === "approved") {
    if (!is2.passes) details.push("set reviewStatus='approved' but passes is still false");
    if (is2.reviewFeedback.startsWith(CAP_PREFIX) && !isLastReview(reviewsOf(pair, judging), judging.reviewCap))
      details.push(
        `reviewFeedback says ${CAP_PREFIX}, but this was review ${is2.reviewCount} and the review cap is ${judging.reviewCap}`
      );
  } else if (is2.reviewStatus === "changes_requested") {
    if (is2.passes) details.push(`set reviewStatus='changes_requested' but ${changed("passes", was.passes, is2.passes)}`);
    if (is2.reviewFeedback.trim() === "")
      details.push("set reviewStatus='changes_requested' but reviewFeedback is empty");
  } else {
    details.push(
      `reviewStatus changed to ${quoted(is2.reviewStatus)} — must be 'approved' or 'changes_requested' after a review (was ${quoted(was.reviewStatus)})`
    );
  }
  return details;
}
function isLastReview(reviews, reviewCap) {
  return reviews + 1 >= reviewCap;
}
function problemsOfNew({ id, passes, reviewStatus, reviewCount }) {
  const must = (field, wanted, got) => got === wanted ? [] : [`New story ${cut(id)} must start with ${field}=${quoted(wanted)} (got ${field}=${quoted(got)}).`];
  return [
    ...must("passes", false, passes),
    ...must("reviewStatus", null, reviewStatus),
    ...must("reviewCount", 0, reviewCount)
  ];
}
function rewritten(pair, mode, split) {
  const { was, is: is2 } = pair;
  return frozenWords(pair, mode, split).filter((field) => was.title !== void 0 && JSON.stringify(was[field]) !== JSON.stringify(is2[field])).map((field) => `${whyFrozen(pair, mode)} Illegal transition: ${changed(field, was[field], is2[field])}.`);
}
function frozenWords({ was, is: is2 }, mode, split) {
  if (mode !== "implement" || was.reviewStatus !== null) return ["title", "description", "acceptanceCriteria"];
  return is2.reviewStatus === null || split.has(is2.id) ? [] : ["title", "description"];
}
function whyFrozen({ was, is: is2 }, mode) {
  const story = `Story ${cut(is2.id)}`;
  return was.reviewStatus === null && is2.reviewStatus === null ? `${story} is not this iteration's: ${mode === "review" ? "a review" : "a review-fix"} may add stories, and rewrites none.` : `${story} is submitted and is judged as it was written.`;
}
function strayFeedback({ was, is: is2, changes }, mode) {
  if (was.reviewFeedback === void 0 || was.reviewFeedback === is2.reviewFeedback) return [];
  if (mode !== "implement" && changes.includes("reviewStatus")) return [];
  return [
    `${mode === "review" ? "Only the story under review" : "Only a review"} may get new reviewFeedback. Story ${cut(is2.id)} had illegal transition: ${changed("reviewFeedback", was.reviewFeedback, is2.reviewFeedback)}.`
  ];
}
function transitionsOf({ was, is: is2, changes }) {
  return `${cut(is2.id)} ${changes.map((field) => changed(field, was[field], is2[field])).join(", ")}`;
}
function idsOf(pairs) {
  return pairs.map(({ is: is2 }) => cut(is2.id)).join(", ");
}

// src/doors/stories/rules-judge.ts
var MOST_PROBLEMS = 10;
function judgeAgainst(before, afterText, context) {
  const read = readTasks(afterText, context.shownPath);
  if (read.isValid) return judgeTasks(before, read.tasks, context);
  const { undocumented, problems } = read;
  const wrong = illegal("tasks", [`Task list validation failed: ${told(problems)}`]);
  const isForgotten = undocumented !== void 0 && judgeTasks(before, undocumented, context).kind !== "illegal";
  return isForgotten ? { kind: "undocumented", reason: wrong.reason } : wrong;
}
function judgeTasks(before, tasks, context) {
  const lost = [...before === null ? [] : lostFrom(before, tasks, context), ...thawed(context.frozen ?? null, tasks)];
  if (lost.length > 0) return illegal("tasks", [`Task list validation failed: ${told(lost)}`]);
  const legal = { kind: "legal", tasks, changes: changesOf2(before ?? /* @__PURE__ */ new Map(), tasks) };
  if (context.skipReview) return legal;
  const untrue = integrityProblems(tasks, context.reviewCap, before);
  const { mode } = context;
  if (before === null || mode === null) return untrue.length === 0 ? legal : illegal("review", [integrity(untrue)]);
  const { problems, noVerdict, atCap } = judgeTransitions(before, tasks, { ...context, mode });
  if (untrue.length > 0 || problems.length > 0)
    return illegal("review", [
      ...untrue.length > 0 ? [integrity(untrue)] : [],
      ...problems.length > 0 ? [transition(problems)] : []
    ]);
  if (noVerdict !== null) return { kind: "no-verdict", tasks, reason: transition([noVerdict]) };
  if (atCap !== null)
    return {
      kind: "at-cap",
      story: atCap.story,
      wasApproved: atCap.wasApproved,
      approved: approvedAtCap(tasks, atCap.story),
      changes: legal.changes,
      reason: transition([atCap.reason])
    };
  return legal;
}
function isCapApproval({ reviewStatus, reviewFeedback }) {
  return reviewStatus === "approved" && reviewFeedback.startsWith(CAP_PREFIX);
}
function approvedAtCap(tasks, id) {
  const approve = (story) => ({
    ...story,
    passes: true,
    reviewStatus: "approved",
    reviewFeedback: `${CAP_PREFIX} ${story.reviewFeedback}`,
    // Check 1 wants a word on what was done, and the reviewer need not have written one.
    notes: story.notes?.trim() ? story.notes : "Approved at the review cap; see reviewFeedback."
  });
  return { ...tasks, userStories: tasks.userStories.map((story) => story.id === id ? approve(story) : story) };
}
function changesOf2(before, { userStories }) {
  const became = (status) => userStories.find(({ id, reviewStatus }) => {
    const was = before.get(id);
    return was !== void 0 && was.reviewStatus !== reviewStatus && reviewStatus === status;
  });
  const approved = became("approved");
  const sentBack = became("changes_requested");
  return {
    submitted: became("needs_review")?.id ?? null,
    approved: approved?.id ?? null,
    isCapApproval: approved !== void 0 && isCapApproval(approved),
    sentBack: sentBack?.id ?? null,
    countBefore: before.get((approved ?? sentBack)?.id ?? "")?.reviewCount ?? 0,
    added: userStories.filter(({ id }) => !before.has(id)).map(({ id }) => id)
  };
}
function lostFrom(before, tasks, { skipReview }) {
  return [
    ...deletedStories(before, tasks),
    ...unreachableStories(before, tasks),
    // With reviews it depends on the mode.
    ...skipReview ? movedCriteria(before, tasks, (id) => !before.has(id)).problems : []
  ];
}
function thawed(frozen, { verifyCommands }) {
  if (frozen === null || JSON.stringify(frozen.verifyCommands) === JSON.stringify(verifyCommands)) return [];
  return [
    `verifyCommands may not be changed by an iteration: ${changed("verifyCommands", frozen.verifyCommands, verifyCommands)}. Put it back as it was.`
  ];
}
function illegal(check, reasons) {
  return { kind: "illegal", check, reason: reasons.join("\n") };
}
function integrity(problems) {
  return `Review integrity check failed: ${told(problems)}`;
}
function transition(problems) {
  return `Transition validation failed: ${told(problems)}`;
}
function told(problems) {
  const rest = problems.length - MOST_PROBLEMS;
  const first = problems.slice(0, MOST_PROBLEMS).join("\n");
  return rest > 0 ? `${first}
(and ${rest} more)` : first;
}

// src/doors/stories/rules-marker.ts
var MARKER_NAME = ".ralph-active";
var DEFAULT_REVIEW_CAP = 5;
function readMarker(text) {
  const value = parsedJson(text);
  const marker = isFields(value) ? value : {};
  const { pid, skipReview, reviewCap, story, ralphDir } = marker;
  return {
    pid: isCount(pid) ? pid : null,
    process: processOf(marker.process),
    isSandboxed: marker.mode === "sandbox",
    isPaused: marker.paused === true,
    skipReview: skipReview === true,
    reviewCap: isCount(reviewCap) && reviewCap > 0 ? reviewCap : DEFAULT_REVIEW_CAP,
    iterationMode: MODES.find((mode) => mode === marker.iterationMode) ?? null,
    story: typeof story === "string" ? story : null,
    ralphDir: typeof ralphDir === "string" && ralphDir !== "" ? ralphDir : "ralph",
    preIterationSnapshot: snapshotFrom(marker.preIterationSnapshot),
    frozen: frozenFrom(marker.verifyCommands),
    isBroken: !isFields(value)
  };
}
function isLeftBehind({ pid, process: owner, isSandboxed }, here, isRunning2) {
  if (pid === null || owner === null || isSandboxed) return false;
  if (owner.boot !== here.boot) return true;
  return owner.pidNamespace === here.pidNamespace && !isRunning2({ pid, startTime: owner.startTime, boot: owner.boot });
}
var MODES = ["implement", "review", "review-fix"];
function processOf(value) {
  if (!isFields(value)) return null;
  const { startTime, boot, pidNamespace } = value;
  if (typeof startTime !== "string" || typeof boot !== "string" || typeof pidNamespace !== "string") return null;
  return { startTime, boot, pidNamespace };
}
function snapshotFrom(value) {
  if (!isFields(value)) return null;
  const stories = /* @__PURE__ */ new Map();
  for (const [id, story] of Object.entries(value)) {
    const before = storyFrom(story);
    if (before === null) return null;
    stories.set(id, before);
  }
  return stories;
}
function frozenFrom(commands) {
  if (commands === null) return {};
  return isStrings(commands) ? { verifyCommands: commands } : null;
}
function storyFrom(value) {
  if (!isFields(value)) return null;
  const { passes, reviewStatus, reviewCount, reviewFeedback, title, description, acceptanceCriteria, dependsOn } = value;
  if (typeof passes !== "boolean" || !isReviewStatus(reviewStatus) || !isCount(reviewCount)) return null;
  return {
    passes,
    reviewStatus,
    reviewCount,
    ...typeof reviewFeedback === "string" ? { reviewFeedback } : {},
    ...typeof title === "string" ? { title } : {},
    ...typeof description === "string" ? { description } : {},
    ...isStrings(acceptanceCriteria) ? { acceptanceCriteria } : {},
    ...isStrings(dependsOn) ? { dependsOn } : {}
  };
}
function isReviewStatus(value) {
  return value === null || REVIEW_STATUSES.some((status) => status === value);
}
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

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
var import_node_fs = require("node:fs");
var import_node_os2 = require("node:os");

// src/core/error.ts
function errnoOf(error) {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return void 0;
}

// src/process/identity-linux.ts
var TICK_MS = 10;
function thisPlace2() {
  return {
    machine: readFirstLine("/etc/machine-id") ?? (0, import_node_os2.hostname)(),
    boot: readFirstLine("/proc/sys/kernel/random/boot_id") ?? "unknown",
    pidNamespace: (0, import_node_fs.readlinkSync)("/proc/self/ns/pid")
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
    return (0, import_node_fs.readFileSync)(path, "latin1");
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
function isRunning(identity, place) {
  return identity.boot === place.boot && platform.startTimeOf(identity.pid) === identity.startTime;
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
var import_node_fs4 = require("node:fs");

// src/hooks/io/session-file.ts
var import_node_fs3 = require("node:fs");
var FOLDER = process.env.CLAUDE_CODE_TMPDIR || "/tmp";
function sessionFile(kind, session) {
  return typeof session === "string" && /^[\w-]{1,100}$/.test(session) ? `${FOLDER}/${kind}-${session}` : null;
}
function readOwn(path) {
  let file;
  try {
    file = (0, import_node_fs3.openSync)(path, import_node_fs3.constants.O_RDONLY | import_node_fs3.constants.O_NOFOLLOW | import_node_fs3.constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const { uid } = (0, import_node_fs3.fstatSync)(file);
    return uid === process.getuid?.() ? (0, import_node_fs3.readFileSync)(file, "utf8") : null;
  } finally {
    (0, import_node_fs3.closeSync)(file);
  }
}
function writeOwn(path, text) {
  const fresh = `${path}.${process.pid}.tmp`;
  removeOwn(fresh);
  try {
    (0, import_node_fs3.writeFileSync)(fresh, text, { flag: "wx", mode: 384 });
    (0, import_node_fs3.renameSync)(fresh, path);
  } catch {
    removeOwn(fresh);
  }
}
function claim(path) {
  try {
    (0, import_node_fs3.writeFileSync)(path, "", { flag: "wx", mode: 384 });
    return true;
  } catch {
    return false;
  }
}
function removeOwn(path) {
  try {
    (0, import_node_fs3.unlinkSync)(path);
  } catch {
  }
}

// src/hooks/stories/block-count.ts
var KIND = "ralph-stop-blocks";
var USUAL_CAP = 8;
var MOST_TO_READ = 256 * 1024;
function countBlock(input, setting) {
  const cap = capFrom(setting);
  const path = sessionFile(KIND, input.session_id);
  const transcript = typeof input.transcript_path === "string" ? input.transcript_path : null;
  if (path === null || transcript === null) return { block: 1, cap };
  const [blocks = 0, size = 0] = (readOwn(path) ?? "").split(" ").map(Number);
  const isInARow = input.stop_hook_active === true && blocks > 0 && !hasToolCall(transcript, size);
  const block = isInARow ? blocks + 1 : 1;
  writeOwn(path, `${block} ${(0, import_node_fs4.statSync)(transcript, { throwIfNoEntry: false })?.size ?? 0}`);
  return { block, cap };
}
function forgetBlocks(session) {
  const path = sessionFile(KIND, session);
  if (path !== null) removeOwn(path);
}
function capFrom(setting) {
  if (setting === void 0 || !/^\d+$/.test(setting)) return USUAL_CAP;
  return Number(setting) > 0 ? Number(setting) : null;
}
function hasToolCall(transcript, from) {
  let file;
  try {
    file = (0, import_node_fs4.openSync)(transcript, "r");
  } catch {
    return false;
  }
  try {
    const buffer = Buffer.allocUnsafe(MOST_TO_READ);
    const bytes = (0, import_node_fs4.readSync)(file, buffer, 0, MOST_TO_READ, from);
    return bytes === MOST_TO_READ || buffer.subarray(0, bytes).includes('"type":"tool_use"');
  } finally {
    (0, import_node_fs4.closeSync)(file);
  }
}

// src/hooks/stories/told-once.ts
var import_node_fs5 = require("node:fs");

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

// src/hooks/stories/told-once.ts
var KIND2 = "ralph-stop-told";
function isToldAlready(input, reason) {
  const session = sessionFile(KIND2, input.session_id);
  const transcript = typeof input.transcript_path === "string" ? input.transcript_path : null;
  if (session === null || transcript === null) return false;
  const size = (0, import_node_fs5.statSync)(transcript, { throwIfNoEntry: false })?.size ?? 0;
  const path = `${session}.${digestOf(`${size} ${reason}`)}`;
  return !claim(path) && readOwn(path) !== null;
}

// src/hooks/stories/uncommitted.ts
var MOST_SHOWN = 10;
function uncommitted(status, ralphDir) {
  const lines = status.split("\n").filter((line) => line !== "" && !isMarker(line));
  if (lines.length === 0) return [];
  const rest = lines.length > MOST_SHOWN ? ["…"] : [];
  return [
    [
      "You have uncommitted changes. Before stopping, you must:",
      `1. Update ${ralphDir}/progress.txt with what was accomplished and what was learned`,
      "2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/",
      "3. Commit ALL changes including progress.txt and tasks.json updates",
      "Uncommitted:",
      ...lines.slice(0, MOST_SHOWN),
      ...rest
    ].join("\n")
  ];
}
function isMarker(line) {
  return line === `?? ${MARKER_NAME}` || line.endsWith(`/${MARKER_NAME}`);
}

// src/hooks/stories-stop.ts
var AGAIN = "Not in order yet: see what the Stop hook of ralph has said already.";
function stop(project, status) {
  const input = inputOrNothing();
  const text = readOrNull((0, import_node_path.join)(project, MARKER_NAME));
  if (text === null) return;
  const marker = readMarker(text);
  if (marker.isPaused) return;
  const place = thisPlace3();
  if (isLeftBehind(marker, place, (owner) => isRunning(owner, place))) {
    say({
      systemMessage: `ralph: ${MARKER_NAME} was left by process ${marker.pid}, which is gone; nothing is checked.`
    });
    return;
  }
  const reasons = [...tasksReason(project, marker), ...uncommitted(status, marker.ralphDir)];
  if (reasons.length > 0) {
    const reason = reasons.join("\n\n");
    if (process.env.RALPH_GUARD === "on" && isToldAlready(input, reason)) say({ decision: "block", reason: AGAIN });
    else say(blockFor(reason, countBlock(input, process.env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP)));
    return;
  }
  forgetBlocks(input.session_id);
  const warning = warningOf(marker);
  if (warning !== null) say({ systemMessage: warning });
}
function tasksReason(project, marker) {
  const { ralphDir, iterationMode: mode, preIterationSnapshot, ...rest } = marker;
  const folder = (0, import_node_path.isAbsolute)(ralphDir) ? ralphDir : (0, import_node_path.join)(project, ralphDir);
  const verdict = judgeAgainst(preIterationSnapshot, readOrNull((0, import_node_path.join)(folder, "tasks.json")), {
    ...rest,
    mode,
    shownPath: `${ralphDir}/tasks.json`
  });
  return verdict.kind === "legal" ? [] : [verdict.reason];
}
function blockFor(reason, { block, cap }) {
  if (cap === null || block < cap) return { decision: "block", reason };
  if (block === cap) {
    const last = `This is block ${block} in a row without a tool call: Claude Code ends the turn at the next one, and what is missing is then missing. Use your tools to put it right now.`;
    return { decision: "block", reason: `${reason}

${last}` };
  }
  const systemMessage = `ralph: Claude Code overrides this block, number ${block} in a row without a tool call (its limit is ${cap}), and ends the turn. Not in order: ${reason}`;
  return { decision: "block", reason, systemMessage };
}
function warningOf({ isBroken, skipReview, preIterationSnapshot, iterationMode }) {
  if (isBroken) return `ralph: ${MARKER_NAME} cannot be read; the transitions of the stories were not checked.`;
  if (skipReview || preIterationSnapshot !== null && iterationMode !== null) return null;
  const missing = preIterationSnapshot === null ? "preIterationSnapshot" : "iterationMode";
  return `ralph: ${MARKER_NAME} has no ${missing}; the transitions of the stories were not checked.`;
}
function inputOrNothing() {
  try {
    return readInput();
  } catch {
    return {};
  }
}
function readOrNull(path) {
  try {
    return (0, import_node_fs6.readFileSync)(path, "utf8");
  } catch {
    return null;
  }
}
function say(answer) {
  (0, import_node_fs6.writeSync)(1, `${JSON.stringify(answer)}
`);
}
try {
  stop(process.argv[2] ?? process.cwd(), process.env.RALPH_GIT_STATUS ?? "");
} catch (error) {
  (0, import_node_fs6.writeSync)(2, `ralph: the stories' Stop hook failed: ${error instanceof Error ? error.message : String(error)}
`);
  process.exitCode = 1;
}
