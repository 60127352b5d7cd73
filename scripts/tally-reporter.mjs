/**
 * A vitest reporter that writes what scripts/test.mjs counts. Vitest's own JSON report has neither retries nor errors
 * outside of tests, and a test that passed at the second try or a crashed worker must not go unnoticed.
 */
import { writeFileSync } from 'node:fs';

export default class TallyReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const tally = {
      passed: 0,
      failed: [],
      skipped: [],
      retried: [],
      seconds: {},
      tiers: {},
      errors: unhandledErrors.map(({ message }) => message),
    };
    for (const module of modules) {
      tally.seconds[module.relativeModuleId] = module.diagnostic().duration / 1000;
      const tier = module.project.name;
      for (const test of module.children.allTests()) {
        tally.tiers[tier] = (tally.tiers[tier] ?? 0) + 1;
        count(tally, `${tier}: ${module.relativeModuleId} > ${test.fullName}`, test);
      }
      const suites = [module, ...module.children.allSuites()];
      for (const suite of suites)
        tally.errors.push(...suite.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`));
    }
    writeFileSync(process.env.RALPH_TALLY, JSON.stringify(tally));
  }
}

function count(tally, name, test) {
  if ((test.diagnostic()?.retryCount ?? 0) > 0) tally.retried.push(name);
  const { state } = test.result();
  if (state === 'passed') tally.passed += 1;
  else if (state === 'failed') tally.failed.push(`${name}: ${firstLine(test.result().errors?.[0]?.message)}`);
  else tally.skipped.push(name);
}

function firstLine(message = 'no reason given') {
  return message.split('\n', 1)[0];
}
