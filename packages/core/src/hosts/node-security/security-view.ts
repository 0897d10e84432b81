import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { flag, listOf, namedShape, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import { JOB_STATES } from '../../work/jobs/job.ts'
import { type DryRun, hasDrifted, type SecurityOutcome } from './applied-security.ts'
import {
  APPLIED_STATES,
  type HostKey,
  type HostSecurity,
  type SecurityRevision,
} from './node-security-store.ts'
import { securitySettings } from './security-settings.ts'

/** A revision as people and hosts see it; instants in unix seconds. */
export const revisionView = (each: SecurityRevision) => ({
  revision: each.revision,
  sha256: each.sha256,
  settings: each.settings,
  ...(each.revision === 0 ? {} : { updated_at: unixSeconds(each.updatedAt), updated_by: each.updatedBy }),
})
/** A revision as people see it. */
export type RevisionView = ReturnType<typeof revisionView>

/** The document of a host as people and hosts see it. */
export const securityView = ({ fingerprint }: Pick<HostKey, 'fingerprint'>, security: HostSecurity) => {
  const { desired, applied, job } = security
  return {
    fingerprint,
    desired: revisionView(desired),
    applied: {
      revision: applied.revision,
      state: applied.state,
      ...presentSeconds('at', applied.at),
      ...present('error', applied.error),
    },
    ...present('job', job),
    drift: hasDrifted(security),
  }
}
/** The document of a host as people see it. */
export type SecurityView = ReturnType<typeof securityView>

/** The result of giving a host a document, as people and hosts see it. */
export const outcomeView = ({ changed, revision, jobId, warnings }: SecurityOutcome) => ({
  ok: true,
  changed,
  revision,
  ...present('job_id', jobId),
  warnings,
})
/** The result of giving a host a document, as people see it. */
export type SecurityOutcomeView = ReturnType<typeof outcomeView>

/** A document as it would be applied, as people and hosts see it. */
export const dryRunView = ({ changed, revision, warnings, rendered }: DryRun) => ({
  ok: true,
  changed,
  revision,
  dry_run: true,
  rendered,
  warnings,
})
/** A document as it would be applied, as people see it. */
export type DryRunView = ReturnType<typeof dryRunView>

const word = text(0, 512)
const second = whole(0, Number.MAX_SAFE_INTEGER)
const number = whole(0, 2_147_483_647)
const warnings = listOf(word, Number.POSITIVE_INFINITY)
const revision = namedShape('SecurityRevision', {
  revision: number,
  sha256: word,
  settings: securitySettings,
  updated_at: optional(second),
  updated_by: optional(word),
})

/** The answers, for documents. */
export const SECURITY_ANSWERS = {
  show: {
    fingerprint: word,
    desired: revision,
    applied: shape({
      revision: number,
      state: oneOf(APPLIED_STATES),
      at: optional(second),
      error: optional(text(0, 8192)),
    }),
    job: optional(shape({ id: word, state: oneOf(JOB_STATES) })),
    drift: flag(),
  },
  set: { ok: flag(), changed: flag(), revision: number, job_id: optional(word), warnings },
  dryRun: {
    ok: flag(),
    changed: flag(),
    revision: number,
    dry_run: flag(),
    rendered: text(0, Number.MAX_SAFE_INTEGER),
    warnings,
  },
  history: { fingerprint: word, revisions: listOf(revision, Number.POSITIVE_INFINITY) },
} as const
