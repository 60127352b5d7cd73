/**
 * Modules of Python that are found before others of the same name: those in a folder where Python looks for modules of the
 * project. Pure.
 */

/** A module that such a folder would have. `root` ends with a slash, unless it is empty. */
export interface RootModule {
  readonly root: string;
  readonly name: string;
}

/** Where Python looks first: where checks may be run, and a folder `src` in there. `subfolder`: the one of the loop. */
export function importRoots(files: readonly string[], subfolder = ''): string[] {
  const folders = files.flatMap((path) => MARK.exec(path)?.[1] ?? []);
  const all = ['', subfolder === '' ? '' : `${subfolder}/`, ...folders];
  return [...new Set(all)].flatMap((root) => [root, `${root}src/`]);
}

/** What says that Python is run there. */
const MARK =
  /^(.*\/)?(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|tox\.ini|conftest\.py|manage\.py|tests?\/[^/]+\.py)$/;

/** The module that this file is, or that it is in, as it is found from each of these roots. */
export function rootModules(path: string, roots: readonly string[]): RootModule[] {
  return roots.flatMap((root) => {
    const [, file, folder] = path.startsWith(root) ? (MODULE.exec(path.slice(root.length)) ?? []) : [];
    const name = file ?? folder;
    return name === undefined ? [] : [{ root, name }];
  });
}

/** Also a compiled one, of which there need not be the source. */
const MODULE = /^(?:(\w+)(?:\.(?:py|pyc|pyd|so)|\.(?:cpython|cp\d|abi3)[\w.-]*)|(\w+)\/.*\.(?:py|pyc|pyd|so))$/;

/** Would the runner of tests, or what it is made of, load this new file in place of a module of its own? */
export function takesName(path: string, { root, name }: RootModule): boolean {
  if (RUNNERS.has(name)) return true;
  // A folder without it does not come before a module.
  const isWhole = !path.slice(root.length).includes('/') || path.startsWith(`${root}${name}/__init__.`);
  return isWhole && STANDARD.has(name);
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const RUNNERS = words('pytest _pytest nose nose2 pluggy iniconfig exceptiongroup tomli pygments coverage xdist');

/** Of the standard library, but for what is a part of the interpreter, which is always found first. */
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
