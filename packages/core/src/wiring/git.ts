import type { ControlPlaneParts } from '../control-plane.ts'
import { GitCredentials } from '../git/git-credentials.ts'
import { GitHooks } from '../git/git-hooks.ts'
import { GitMetrics } from '../git/git-metrics.ts'
import { type DeedCheck, GitPushes, type LicenseCheck } from '../git/git-pushes.ts'
import { GitTest } from '../git/git-test.ts'
import type { PushQueue } from '../git/push/push-delivery.ts'
import { operatorOutbound } from '../net/operator-outbound.ts'
import type { Base } from './base.ts'

/** Wires git hooks: the hooks themselves, what arrives by them, and what their hosts are given. */
export function gitOf(
  base: Base,
  parts: ControlPlaneParts,
  { jobs, licenses, licenseDeeds }: { jobs: PushQueue; licenses: LicenseCheck; licenseDeeds: DeedCheck },
) {
  const { config, production, metrics, log } = base
  const { publicUrl } = config.service
  const { secretGraceSeconds } = config.git
  const gitHooks = new GitHooks({ ...base, publicUrl, secretGraceSeconds, plainHttp: !production })
  const counts = new GitMetrics(metrics)
  return {
    gitCredentials: new GitCredentials(base),
    gitHooks,
    gitPushes: new GitPushes({ ...base, jobs, licenses, licenseDeeds, hooks: gitHooks, metrics: counts }),
    gitTest: new GitTest({ ...base, hooks: gitHooks, outbound: parts.outbound ?? operatorOutbound({ log }) }),
  }
}
