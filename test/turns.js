// Suites that take long take turns: a run of all suites has one part of each list, which the number of its
// planted faults draws (SVC_TEST_SAMPLE). A run that names its suites has them all, and so has the night.
// The suites of a list are in an order in which its parts take about as long.
const TURNS = [
  {
    parts: 3,
    suites: [
      'packages/cli/test/agent/deploy-fetch',
      'packages/cli/test/agent/security/host-security',
      'packages/core/test/storage/growth',
      'packages/cli/test/agent/handler-environment',
      'packages/cli/test/agent/deploy-links',
      'packages/cli/test/browser/domains',
      'packages/cli/test/agent/strays',
      'packages/cli/test/agent/backup-handlers',
      'test/docs-billing',
      'chaos/test/chaos',
    ],
  },
  {
    parts: 2,
    suites: [
      'packages/cli/test/browser/chromium',
      'test/docs-trial',
      'packages/cli/test/process/ssh',
      'packages/cli/test/process/transfer',
      'packages/cli/test/process/private-files',
      'packages/cli/test/process/database-sign-in',
      'packages/cli/test/process/full-disk',
      'test/docs-provisioning',
      'packages/cli/test/process/waiting',
      'packages/cli/test/process/replicas',
      'packages/cli/test/process/second-factor',
      'packages/cli/test/process/agent-run',
      'test/docs-browser',
      'packages/cli/test/process/drain',
      'packages/cli/test/process/database-loss',
      'packages/cli/test/process/git-push',
      'packages/cli/test/process/login',
      'packages/cli/test/process/limits',
    ],
  },
]

/** The number of a run is below this, which all numbers of parts in use divide. */
export const SAMPLES = 840

/** Returns the suites that rest in a run with this number. */
export function restingSuites(sample) {
  return TURNS.flatMap(({ parts, suites }) => suites.filter((_, index) => index % parts !== sample % parts))
}

/** Every suite that takes turns. */
export const TURN_SUITES = TURNS.flatMap(({ suites }) => suites)
