// Suites that take long take turns: a run of all suites has one part of each list, which the number of its
// planted faults draws (SVC_TEST_SAMPLE). A run that names its suites has them all, and so has the night.
// The suites of a list are in the order of their time, so that its parts take about as long.
const TURNS = [
  // These take 40 s and more beside other suites, on two cores.
  {
    parts: 4,
    suites: [
      'packages/cli/test/agent/deploy-fetch',
      'packages/cli/test/process/serve',
      'test/docs-embedding',
      'packages/cli/test/browser/chromium',
      'packages/http/test/access/races',
      'packages/cli/test/process/ssh',
      'packages/cli/test/process/private-files',
      'packages/cli/test/process/up',
      'test/packed/systemd',
      'packages/cli/test/process/waiting',
      'packages/cli/test/process/second-factor',
      'test/packed/packages',
      'packages/core/test/database/data-folder',
      'packages/cli/test/process/full-disk',
      'test/docs-browser',
      'packages/cli/test/agent/handlers',
      'test/docs-git',
      'packages/cli/test/process/secrets',
      'packages/core/test/storage/folder-copy',
      'packages/cli/test/agent/security/firewall-agent',
      'siege/test/power',
      'packages/cli/test/commands/transfer',
      'packages/cli/test/agent/handler-user',
      'test/packed/install-machine',
      'test/packed/command',
      'packages/cli/test/agent/security/host-security',
      'packages/core/test/storage/growth',
      'packages/cli/test/agent/deploy-links',
      'packages/cli/test/browser/domains',
      'packages/cli/test/agent/backup-handlers',
      'test/docs-billing',
      'test/docs-trial',
      'packages/cli/test/process/transfer',
      'packages/cli/test/process/database-sign-in',
      'test/docs-provisioning',
      'packages/cli/test/process/replicas',
      'packages/cli/test/process/agent-run',
      'packages/cli/test/process/drain',
      'packages/cli/test/process/git-push',
      'packages/cli/test/process/limits',
      'packages/cli/test/process/migrate',
      'siege/test/costs',
      'packages/cli/test/agent/deploy-git-hooks',
      'packages/cli/test/agent/images',
      'packages/core/test/redaction/hostile',
      'test/packed/install',
    ],
  },
  // These take 20 s and more.
  {
    parts: 3,
    suites: [
      'test/audit',
      'packages/cli/test/process/database-loss',
      'packages/core/test/storage/transfer/round-trip',
      'packages/http/test/access/audit',
      'packages/core/test/database/pglite-panic',
      'packages/core/test/database/migrations',
      'packages/core/test/alerts/rules/alert-kinds',
      'packages/core/test/storage/transfer/refusals',
      'packages/cli/test/process/chat',
      'packages/core/test/monitors/monitors-live',
      'packages/core/test/jobs/jobs-concurrency',
      'packages/http/test/routes/healthz',
      'test/packed/agent',
      'packages/core/test/chat/secrets',
      'packages/core/test/database/unavailable',
      'packages/core/test/surface/surface-scan',
      'packages/cli/test/process/login',
      'packages/testing/test/leaks',
      'packages/cli/test/process/private-folder',
      'packages/cli/test/process/terminal',
      'packages/core/test/database/disk-space',
      'packages/cli/test/process/tick',
      'packages/cli/test/agent/handler-environment',
      'packages/cli/test/process/webhooks',
      'packages/cli/test/agent/systemd-unit',
      'packages/cli/test/agent/handler-ends',
      'packages/cli/test/process/thread-watch',
      'packages/cli/test/agent/strays',
      'packages/core/test/database/folder-lock',
      'packages/http/test/routes/sign-in-crowd',
      'packages/cli/test/agent/jobs',
      'packages/core/test/database/pglite-statements',
      'packages/cli/test/process/deploy-logs',
      'siege/test/sockets',
      'packages/cli/test/agent/deploy-submodules',
      'packages/cli/test/agent/security/firewall-rules',
    ],
  },
]

// Suites that keep all cores busy for minutes, whose programme is a step of the pipeline besides.
export const NIGHT_SUITES = ['chaos/test/chaos']

/** The number of a run is below this, which all numbers of parts in use divide. */
export const SAMPLES = 840

/** Returns the suites that rest in a run with this number. */
export function restingSuites(sample) {
  const resting = TURNS.flatMap(({ parts, suites }) =>
    suites.filter((_, index) => index % parts !== sample % parts),
  )
  return [...NIGHT_SUITES, ...resting]
}

/** Every suite that takes turns. */
export const TURN_SUITES = TURNS.flatMap(({ suites }) => suites)
