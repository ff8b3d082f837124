import { expect, test } from 'vitest';
import { boxScript } from './boxScript.ts';
import { mountsOf, parseMountTable } from './mountTable.ts';

const table = parseMountTable(
  [
    '26 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '27 26 0:30 / /data rw,nosuid,nodev,noexec,noatime shared:1 - tmpfs tmpfs rw',
    '28 27 0:31 / /data/a\\040b rw,nosuid - tmpfs tmpfs rw',
  ].join('\n'),
);

test('a bind repeats the flags of the mount it lies on, and of every mount below it', () => {
  expect(mountsOf('/data', table)).toEqual([
    { point: '/data', flags: ['nosuid', 'nodev', 'noexec', 'noatime'] },
    { point: '/data/a b', flags: ['nosuid'] },
  ]);
  expect(mountsOf('/database', table)).toEqual([{ point: '/database', flags: ['relatime'] }]);
});

test('every mount brought along by a read-only path is made read-only itself', () => {
  const script = boxScript(
    { rootDir: '/tmp/r', readOnly: [{ path: '/data', isFolder: true }], writableDir: null, links: [] },
    { mount: '/bin/mount', chroot: '/sbin/chroot' },
    table,
  );
  expect(script).toContain("/bin/mount -o remount,bind,ro,nosuid,nodev,noexec,noatime '/tmp/r/data'");
  expect(script).toContain("/bin/mount -o remount,bind,ro,nosuid,nodev '/tmp/r/data/a b'");
});

test('a path is quoted: it can’t become a command', () => {
  const script = boxScript(
    {
      rootDir: '/tmp/r',
      readOnly: [{ path: "/x'; reboot; '", isFolder: false }],
      writableDir: null,
      links: [],
    },
    { mount: '/bin/mount', chroot: '/sbin/chroot' },
    [],
  );
  expect(script).toContain("'/tmp/r/x'\\''; reboot; '\\'''");
});
