/** Another program that imports the built package by its name, in its own folder. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type Scene } from '../scene.ts';
import { type Program, startProgram } from './program.ts';

/** Makes the package, and the types of Node, installed for programs in the scene's folder. */
export function installPackage(scene: Scene): void {
  const modules = join(scene.folder, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  symlinkSync(ROOT, join(modules, 'ralph-harness'));
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(modules, '@types/node'));
}

/** Runs the lines as a module; in them, `at` is where a loop runs, and `say` prints a value as JSON. */
export function startConsumer(scene: Scene, lines: string): Program {
  installPackage(scene);
  const path = join(scene.folder, 'consumer.mjs');
  const head = `import { RalphError, resume, run } from 'ralph-harness';\nconst at = { cwd: ${JSON.stringify(scene.work)} };\n`;
  writeFileSync(path, `${head}const say = (value) => console.log(JSON.stringify(value));\n${lines}\n`);
  return startProgram([process.execPath, path], { cwd: scene.folder, env: scene.env });
}
