// The suites of pure rules as Stryker runs them: without the database, the network guard and the leak check,
// whose place is the ordinary run. SVC_RULE_SUITES names them.
import base from '../../jest.config.js'

const { moduleNameMapper, transform, extensionsToTreatAsEsm, testEnvironmentOptions, testTimeout } = base
const { SVC_RULE_SUITES = '' } = process.env

export default {
  rootDir: base.rootDir,
  extensionsToTreatAsEsm,
  moduleNameMapper,
  transform,
  testEnvironmentOptions,
  testTimeout,
  testMatch: SVC_RULE_SUITES.split(' ').map((path) => `<rootDir>/packages/core/test/${path}.test.ts`),
}
