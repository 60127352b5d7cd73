/** How a sandboxed agent tries to make its supervisor, which is outside, touch what it cannot touch itself. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProgram } from '../support/programs/program.ts';
import { attackIn, attackOn, listenAt, NO_WAY_OUT } from '../support/sandbox/sandbox.ts';
import { ROOT } from '../support/scene.ts';
import { type SandboxedTask, sandboxedTask } from '../support/tasks/sandboxed-task.ts';
import { DONE, MEANT, PROJECT, TASK } from '../support/tasks/task-loop.ts';

const ASK = 'ralph job --agent "$SCENE/bin/agent"';
/** A child learns its role from its prompt; every other agent is the parent. */
const family = (parent: string, child: string): string =>
  `role=$(tail -n 1); case $role in child*) ${child} ;; *) ${parent} ;; esac`;
/** Waits until the folder of the child's run exists, or its request has been refused. */
const WHEN_ASKED = 'until [ "$(ls "$TASK_FOLDER/runs" | wc -l)" = 2 ] || ! kill -0 $!; do :; done 2>/dev/null';
/** Waits until the request is answered, or the attack has worked: then no answer will come. */
const UNTIL_SERVED = 'until [ -e "$SCENE/elsewhere/runs" ] || ! kill -0 $!; do sleep 0.05; done 2>/dev/null';
/** The task would wait long for a child that an attack has lost. */
const BRIEFLY = ['--child-wait-timeout', '1s'];

/** The capabilities with which root reads everything. */
const READS_ALL = '-dac_override,-dac_read_search';

/** A folder with a file in it that no sandbox lets the agent write to. */
function withElsewhere(scene: SandboxedTask): () => string[] {
  mkdirSync(join(scene.folder, 'elsewhere'));
  scene.write('elsewhere/precious', 'as it was\n');
  return () => readdirSync(join(scene.folder, 'elsewhere'), { recursive: true }) as string[];
}

test('neither a task nor a job of its agent gets out through the sandbox itself', async () => {
  const attack = attackOn('"$SCENE/host.sock"');
  const play = family(`${attack}; ${ASK} --prompt child >notes; ${DONE}`, attack);
  const scene = sandboxedTask({ play });
  const host = await listenAt(join(scene.folder, 'host.sock'));
  const { code, stdout } = await scene.sandboxed();
  expect([stdout, scene.noted()].map(attackIn)).toEqual([NO_WAY_OUT, NO_WAY_OUT]);
  expect({ code, visitors: host.visitors() }).toEqual({ code: 0, visitors: 0 });
});

test('the supervisor of a job does not run the agent’s code from NODE_OPTIONS, which the job still gets', async () => {
  const parent = `echo 'try { require("fs").writeFileSync(process.env.SCENE + "/escaped", "") } catch {}' >start.cjs
    ${ASK} --prompt child >notes; ${DONE}`;
  const scene = sandboxedTask({ play: family(parent, 'echo "$NODE_OPTIONS"') });
  scene.write('work/start.cjs', '');
  scene.env.NODE_OPTIONS = `--require ${scene.work}/start.cjs`;
  expect(await scene.sandboxed()).toMatchObject({ code: 0 });
  expect(existsSync(join(scene.folder, 'escaped'))).toBe(false);
  expect(scene.noted()).toContain(`--require ${scene.work}/start.cjs\n`);
});

describe('the folder of a job', () => {
  const link = `r/${PROJECT}/${TASK}`;
  const linked = `mkdir -p r/${PROJECT}; ln -sfn "$TASK_FOLDER" ${link}`;
  const meant = `--root "$PWD/r" --project ${PROJECT} --task ${TASK}`;
  const child = 'echo x >"$SCENE/elsewhere/planted" && echo WROTE; echo tried';

  test('is the one that was checked, whatever happens to the link in the request', async () => {
    const parent = `${linked}; ${ASK} ${meant} --prompt child >notes 2>&1 &
      ${WHEN_ASKED}; ln -s "$SCENE/elsewhere" next; mv -T next ${link}; ${UNTIL_SERVED}; ${DONE}`;
    const scene = sandboxedTask({ play: family(parent, child) });
    const elsewhere = withElsewhere(scene);
    expect(await scene.sandboxed(...BRIEFLY)).toMatchObject({ code: 0 });
    expect(elsewhere()).toEqual(['precious']);
    expect(scene.noted()).toMatch(/^run: \S+\ntried\n$/);
  });

  test('is never outside, even if the link in the request changes all the time', async () => {
    const flip = `const fs = require('fs'); const [link, ...ends] = process.argv.slice(1);
      while (!fs.existsSync('stop')) for (const end of ends) { fs.symlinkSync(end, 'next'); fs.renameSync('next', link); }`;
    const parent = `${linked}; ${process.execPath} -e "${flip}" ${link} "$TASK_FOLDER" "$SCENE/elsewhere" & flipper=$!
      for i in 1 2 3 4 5 6 7 8 9 10; do ${ASK} ${meant} --prompt child >>notes 2>&1 & ${UNTIL_SERVED}; done; touch stop; wait $flipper; ${DONE}`;
    const scene = sandboxedTask({ play: family(parent, child) });
    const elsewhere = withElsewhere(scene);
    expect(await scene.sandboxed(...BRIEFLY)).toMatchObject({ code: 0 });
    expect(elsewhere()).toEqual(['precious']);
    expect(scene.noted()).not.toContain('WROTE');
  });

  test('is not worked in once it has become a link', async () => {
    const parent = `mkdir sub; ${ASK} --cwd sub --prompt child >notes 2>&1 &
      ${WHEN_ASKED}; rmdir sub; ln -s "$SCENE/elsewhere" sub; wait; ${DONE}`;
    const scene = sandboxedTask({ play: family(parent, 'pwd; cat precious') });
    withElsewhere(scene);
    expect(await scene.sandboxed(...BRIEFLY)).toMatchObject({ code: 0 });
    expect(scene.noted()).not.toContain('as it was');
    expect(scene.runs().at(-1)).toMatchObject({ status: 'failed' });
  });
});

describe('what an agent has put in the way', () => {
  test('is left alone: an unreadable output costs the output, not the loop', async () => {
    const play = `[ "$n" = 2 ] && { ${DONE}; exit; }; echo x >"$RUN_FOLDER/output.md"; chmod 000 "$(readlink "$RUN_FOLDER/output.md")"; echo words`;
    const scene = sandboxedTask({ play });
    // Root can read it, unless these capabilities are given up.
    const obeying =
      process.getuid?.() === 0 ? ['setpriv', `--bounding-set=${READS_ALL}`, `--inh-caps=${READS_ALL}`] : [];
    const flags = [...MEANT, '--agent', scene.agent, '--sandbox=os', ...scene.own, '--restart-delay', '1ms'];
    const ralph = [process.execPath, join(ROOT, 'bin/ralph.cjs'), 'task', 'run', ...flags];
    const [program = '', ...args] = [...obeying, ...ralph];
    const { code, stderr } = await startProgram([program, ...args], { cwd: scene.work, env: scene.env }).exited;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('EACCES') });
    expect(scene.runText(0, 'output')).toBe('words\n');
  });

  test('is removed without following a folder that becomes a link meanwhile', async () => {
    const race = `const fs = require('fs'); const broker = process.env.RALPH_JOBS;
      const [folder, aside, link] = ['/z.request.json', '/aside', '/link'].map((name) => broker + name);
      fs.mkdirSync(broker + '/made');
      for (let i = 0; i < 20000; i++) fs.writeFileSync(broker + '/made/f' + i, '');
      fs.writeFileSync(broker + '/made/precious', '');
      const [first] = fs.readdirSync(broker + '/made');
      fs.symlinkSync(process.env.SCENE + '/elsewhere', link);
      fs.renameSync(broker + '/made', folder);
      fs.writeFileSync(broker + '/bell', '');
      const isServed = () => !fs.existsSync(folder + '/' + first) || fs.existsSync(broker + '/z.reply.json');
      while (!isServed());
      try { fs.renameSync(folder, aside); fs.renameSync(link, folder); } catch {}
      while (!fs.existsSync(broker + '/z.reply.json'));
      console.log('answered');`;
    const scene = sandboxedTask({ play: `cat >race.cjs <<'END'\n${race}\nEND\n${process.execPath} race.cjs; ${DONE}` });
    const elsewhere = withElsewhere(scene);
    const { code, stdout } = await scene.sandboxed(...BRIEFLY);
    expect(elsewhere()).toEqual(['precious']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'answered\n' });
  });
});
