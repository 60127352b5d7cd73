/** Files that hold keys, passwords and tokens. */
import { resolvePath } from './paths.ts';
import { list } from './tables.ts';

/** Below the home folder. */
const SECRET_IN_HOME = list(`
  .ssh .aws .gnupg .kube .azure .docker/config.json .config/gcloud .config/gh .config/op .netrc .npmrc .pypirc
  .git-credentials .pgpass .my.cnf .vault-token .claude/.credentials.json .password-store .bash_history
  .zsh_history Library/Keychains
`);
const SECRET_IN_SYSTEM = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/ssl/private', '/root/.ssh'];
/** Not secret, though they lie beside secrets. */
const PUBLIC = /\.pub$|\/known_hosts$|\/\.ssh\/config$|\/\.aws\/config$/;
const KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519)$/;
const ENVIRONMENT_FILE = /^\.env(?:\.(?!example$|sample$|template$|dist$|test$)[\w-]+)*$/;

const SECRET_VARIABLE = /(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)(?:_|$)/;

export type Secrecy = 'secret' | 'environment' | 'public';

export function secrecyOf(text: string, cwd: string | null, home: string): Secrecy {
  const path = resolvePath(text, cwd, home) ?? text;
  const name = path.split('/').at(-1) ?? '';
  if (PUBLIC.test(path)) return 'public';
  const inHome = SECRET_IN_HOME.some((each) => isAt(path, `${home}/${each}`));
  if (inHome || SECRET_IN_SYSTEM.some((each) => isAt(path, each)) || KEY_NAME.test(name)) return 'secret';
  if (/^\/proc\/[^/]+\/environ$/.test(path)) return 'secret';
  return ENVIRONMENT_FILE.test(name) ? 'environment' : 'public';
}

/** Is it a secret, or a folder in the home that has some? */
export function holdsSecrets(text: string, cwd: string | null, home: string): boolean {
  if (secrecyOf(text, cwd, home) === 'secret') return true;
  const path = resolvePath(text, cwd, home);
  return path !== null && path !== home && SECRET_IN_HOME.some((each) => isAt(`${home}/${each}`, path));
}

/** Does the name of a variable say that it holds a secret? */
export function isSecretName(name: string): boolean {
  return SECRET_VARIABLE.test(name);
}

function isAt(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
