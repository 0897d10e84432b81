import { featureOf } from '../../platform/feature.ts'
import { operatorOutbound } from '../../platform/net/operator-outbound.ts'
import type { Outbound } from '../../platform/net/outbound.ts'
import { GitCredentials } from './git-credentials.ts'
import { gitHookOperations } from './git-hook-operations.ts'
import { GitHooks } from './git-hooks.ts'
import { GitMetrics } from './git-metrics.ts'
import { type DeedCheck, GitPushes, type LicenseCheck } from './git-pushes.ts'
import { GitTest } from './git-test.ts'
import type { PushQueue } from './push/push-delivery.ts'
import * as settings from './settings.ts'

/** The tools and services that git hooks use. */
export interface GitNeeds {
  readonly parts: { readonly outbound?: Outbound }
  readonly jobs: PushQueue
  readonly licenses: LicenseCheck
  readonly licenseDeeds: DeedCheck
}
/** The services of git hooks. */
export interface GitServices {
  readonly gitCredentials: GitCredentials
  readonly gitHooks: GitHooks
  readonly gitPushes: GitPushes
  readonly gitTest: GitTest
}

/** Git hooks: the hooks themselves, their deliveries, and the credentials for their hosts. */
export const git = featureOf<GitNeeds>()({
  settings,
  sql: () => import('./git-hooks-store-sql.ts'),
  services: (base, { parts, jobs, licenses, licenseDeeds }): GitServices => {
    const { config, production, metrics, log } = base
    const { publicUrl } = config.service
    const { secretGraceSeconds } = config.git
    const gitHooks = new GitHooks({ ...base, publicUrl, secretGraceSeconds, isTrial: !production })
    const counts = new GitMetrics(metrics)
    return {
      gitCredentials: new GitCredentials(base),
      gitHooks,
      gitPushes: new GitPushes({ ...base, jobs, licenses, licenseDeeds, hooks: gitHooks, metrics: counts }),
      gitTest: new GitTest({
        ...base,
        hooks: gitHooks,
        outbound: parts.outbound ?? operatorOutbound({ log }),
      }),
    }
  },
  operations: gitHookOperations,
  events: ['git.push'],
  purge: ({ gitHooks }) => gitHooks.purge(),
})
