/** The eighteen categories, in their order. */
import type { Category } from '../category.ts';
import { cloud } from './cloud.ts';
import { containerEscape } from './container-escape.ts';
import { credentials } from './credentials.ts';
import { database } from './database.ts';
import { destructiveFiles } from './destructive-files.ts';
import { disk } from './disk.ts';
import { environment } from './environment.ts';
import { exfiltration } from './exfiltration.ts';
import { exhaustion } from './exhaustion.ts';
import { destructiveGit } from './git.ts';
import { obfuscation } from './obfuscation.ts';
import { persistence } from './persistence.ts';
import { privilege } from './privilege.ts';
import { processes } from './processes.ts';
import { remoteAccess } from './remote-access.ts';
import { sensitivePaths } from './sensitive-paths.ts';
import { supplyChain } from './supply-chain.ts';
import { systemConfig } from './system-config.ts';

export const CATEGORIES: readonly Category[] = [
  destructiveFiles,
  disk,
  exhaustion,
  exfiltration,
  remoteAccess,
  credentials,
  privilege,
  containerEscape,
  supplyChain,
  destructiveGit,
  systemConfig,
  obfuscation,
  environment,
  processes,
  persistence,
  database,
  cloud,
  sensitivePaths,
];
