/**
 * Python modules in folders of the project that are searched first, so that they shadow others of the same name. Pure.
 */

export interface ImportRoot {
  /** Ends with a slash, unless it is empty. */
  readonly folder: string;
  /** It was a package at the start: its modules are found in it and shadow no others. */
  readonly isPackage: boolean;
}

/** A module that can be imported from such a folder. */
export interface RootModule {
  readonly root: ImportRoot;
  readonly name: string;
}

/** Where Python looks first: folders in which checks may run, and `src` in each. `run`: those in which they do run. */
export function importRoots(files: readonly string[], run: readonly string[] = []): ImportRoot[] {
  const current = ['', ...run.flatMap((folder) => (folder === '' ? [] : [`${folder}/`]))];
  const marked = files.flatMap((path) => MARK.exec(path)?.[1] ?? []);
  const tested = files.flatMap((path) => TESTED.exec(path)?.[1] ?? []);
  const isPackage = (folder: string): boolean =>
    !current.includes(folder) && !marked.includes(folder) && files.includes(`${folder}__init__.py`);
  const folders = [...current, ...marked, ...tested].flatMap((folder) => [folder, `${folder}src/`]);
  return [...new Set(folders)].map((folder) => ({ folder, isPackage: isPackage(folder) }));
}

/** The folders that a command changes to, relative to where it is run. */
export const foldersEntered = (command: string): string[] =>
  [...command.matchAll(/\bcd\s+(?:\.\/)*([\w.-][\w./-]*?)\/*(?![\w./-])/g)].map(([, folder = '']) => folder);

/** Files that show that Python is run in their folder. */
const MARK = /^(.*\/)?(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|tox\.ini|manage\.py)$/;
/** It may be run there, but not if it is a package: then pytest starts above it. */
const TESTED = /^(.*\/)?(?:conftest\.py|tests?\/[^/]+\.py)$/;

/** The module that this file is or belongs to, as imported from each of these roots. */
export function rootModules(path: string, roots: readonly ImportRoot[]): RootModule[] {
  return roots.flatMap((root) => {
    const inside = path.startsWith(root.folder) ? path.slice(root.folder.length) : '';
    const [, file, folder] = MODULE.exec(inside) ?? [];
    const name = file ?? folder;
    return name === undefined ? [] : [{ root, name }];
  });
}

/** Also compiled modules, which need no source. */
const MODULE = /^(?:(\w+)(?:\.(?:py|pyc|pyd|so)|\.(?:cpython|cp\d|abi3)[\w.-]*)|(\w+)\/.*\.(?:py|pyc|pyd|so))$/;

/** Would this new file be loaded in place of a module of the test runner, of the standard library, or of `imported`? */
export function takesName(path: string, { root, name }: RootModule, imported: ReadonlySet<string>): boolean {
  if (RUNNERS.has(name)) return true;
  if (root.isPackage) return false;
  if (imported.has(name)) return true;
  // Without `__init__`, a folder does not come before a module.
  const isWhole = !path.slice(root.folder.length).includes('/') || path.startsWith(`${root.folder}${name}/__init__.`);
  return isWhole && STANDARD.has(name);
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const RUNNERS = words('pytest _pytest nose nose2 pluggy iniconfig exceptiongroup tomli pygments coverage xdist');

/** The standard library, without what is built into the interpreter, which is always found first. */
const STANDARD = words(`
abc aifc argparse ast asynchat asyncio asyncore base64 bdb binascii bisect bz2 cProfile calendar cgi cgitb chunk cmath cmd
code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg
crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum fcntl
filecmp fileinput fnmatch fractions ftplib functools genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq
hmac html http imaplib imghdr imp importlib inspect io ipaddress json keyword linecache locale logging lzma mailbox
mailcap math mimetypes mmap modulefinder multiprocessing netrc nntplib ntpath nturl2path numbers opcode operator optparse os
pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posixpath pprint profile pstats pty py_compile pyclbr
pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors
shelve shlex shutil signal site smtplib sndhdr socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat
statistics string stringprep struct subprocess sunau symtable sysconfig syslog tabnanny tarfile telnetlib tempfile termios
textwrap threading timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata
unittest urllib uu uuid venv warnings wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
_collections_abc _weakrefset _sitebuiltins _compat_pickle _compression _pydecimal _pydatetime _py_abc _strptime _threading_local
_markupbase _bootsubprocess _colorize _opcode_metadata __future__
`);
