/** The simulated Mac behaves like one, as far as it claims to; otherwise the other tests here would prove nothing. */
import { expect, test } from 'vitest';
import { makeMac, onMac } from './mac.ts';

test('its Node reports darwin, and so does every Node that this one starts', () => {
  const mac = makeMac();
  const asked = 'process.platform + require("os").platform()';
  expect(onMac(mac, `node -p '${asked}'`)).toBe('darwindarwin\n');
  const child = `require("child_process").execFileSync(process.execPath, ["-p", ${JSON.stringify(asked)}], { encoding: "utf8" })`;
  expect(onMac(mac, `node -p '${child}'`)).toContain('darwindarwin\n');
});

test('it has no /proc, no cgroups, and no programs that macOS does not have', () => {
  const mac = makeMac();
  expect(onMac(mac, 'ls -A /proc /sys/fs/cgroup')).toBe('/proc:\n\n/sys/fs/cgroup:\n');
  expect(
    onMac(mac, 'for name in setsid timeout flock setpriv unshare stat busybox; do command -v $name; done; :'),
  ).toBe('');
});

test('its sh is bash, its ls and sed are not GNU, and its wc pads numbers with blanks', () => {
  const mac = makeMac();
  expect(onMac(mac, 'echo "$BASH_VERSION" | head -c 1; set -o | grep posix')).toMatch(/^\dposix\s+on\n$/);
  expect(onMac(mac, 'ls --version 2>&1 | head -n 1; sed --version 2>&1')).not.toContain('GNU coreutils');
  expect(onMac(mac, 'printf abc | wc -c')).toBe('    3\n');
});

test('its ps prints dates in the language and time zone of the caller, and exits with 1 if the process is gone', () => {
  const mac = makeMac();
  const ask = 'ps -o stat= -o lstart= -p $$';
  const started = new Date().toUTCString().slice(0, 3);
  expect(onMac(mac, ask, { TZ: 'UTC' })).toMatch(
    new RegExp(String.raw`^\S+ +${started} \w{3} [ \d]\d [\d:]{8} \d{4} +\n$`),
  );
  expect(onMac(mac, ask, { LANG: 'de_DE.UTF-8', PERL_BADLANG: '0' })).toMatch(/^\S+ +(?:Mo|Di|Mi|Do|Fr|Sa|So)\. /);
  expect(onMac(mac, 'ps -o stat= -p 999999 || echo "gone: $?"')).toBe('gone: 1\n');
  expect(onMac(mac, 'ps --forest 2>/dev/null || echo "unknown: $?"')).toBe('unknown: 1\n');
});

test('its ps -E shows the environment of programs that do not belong to the system', () => {
  const mac = makeMac();
  const sleeps = `node -e 'console.log(process.pid); setTimeout(() => {}, 60000)' `;
  const shown = `${sleeps} >"$PLACE" & until [ -s "$PLACE" ]; do sleep 0.01; done; ps -wwE -o command= -p $!; ps -ww -o command= -p $!; kill $!`;
  const place = { PLACE: `/tmp/ralph-darwin-${process.pid}` };
  const [withIt = '', without = ''] = onMac(mac, `${shown}; rm "$PLACE"`, { ...place, MARK: 'of the beast' }).split(
    '\n',
  );
  expect(withIt).toContain(' MARK=of the beast');
  expect(withIt.startsWith(`${without} `)).toBe(true);
  expect(onMac(mac, 'ps -wwE -o command= -p $$', { MARK: 'of the beast' })).not.toContain('MARK=');
});
