/**
 * Edits ralph/tasks.json as an agent would. The argument is a line of JavaScript that can use `tasks`, the list; `mode`
 * and `story`, from .ralph-active; and the functions below, the steps of a story's life.
 */
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { runInNewContext } = require('node:vm');

const FILE = process.env.STORIES ?? 'ralph/tasks.json';
const tasks = JSON.parse(readFileSync(FILE, 'utf8'));
const marker = existsSync('.ralph-active') ? JSON.parse(readFileSync('.ralph-active', 'utf8')) : {};
const { iterationMode: mode, story } = marker;
const of = (id) => tasks.userStories.find((one) => one.id === id);

const submit = (id) => Object.assign(of(id), { reviewStatus: 'needs_review', notes: 'done' });
const approve = (id) =>
  Object.assign(of(id), { reviewStatus: 'approved', passes: true, reviewCount: of(id).reviewCount + 1, notes: 'done' });
const reject = (id, reviewFeedback = 'Handle the empty list') =>
  Object.assign(of(id), { reviewStatus: 'changes_requested', reviewCount: of(id).reviewCount + 1, reviewFeedback });
const fix = (id) => Object.assign(of(id), { reviewStatus: 'needs_review', reviewFeedback: '' });
const code = () => appendFileSync('code.txt', `${mode} ${story} ${process.env.RALPH_KEY}\n`);

/** What a good agent does; `verdict` is how its reviews end. */
const honest = (verdict = 'approve') => {
  if (mode === 'implement') {
    code();
    submit(story);
  } else if (mode === 'review-fix') {
    code();
    fix(story);
  } else if (verdict === 'approve') approve(story);
  else reject(story);
};

// The code comes from the test's own scene.
runInNewContext(process.argv[2] ?? '', { tasks, mode, story, of, submit, approve, reject, fix, code, honest });
writeFileSync(FILE, `${JSON.stringify(tasks, null, 2)}\n`);
