import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import {
  field,
  finite,
  flag,
  listOf,
  namedShape,
  oneOf,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import {
  FINDING_SEVERITIES,
  FINDING_STATUSES,
  type Finding,
  type FindingCounts,
  findingFingerprint,
  type SurfaceFinding,
} from './surface-finding.ts'
import { EMPTY_RESULT, SCAN_STATES, type SurfaceScan } from './surface-scan.ts'
import type { Challenge, SurfaceTarget } from './surface-target.ts'

/** A target with its record, its newest scan, and its open findings. */
export interface SeenTarget {
  readonly target: SurfaceTarget
  readonly challenge: Challenge
  readonly last: SurfaceScan | undefined
  readonly open: FindingCounts
}

/** A scan with the stored findings of its domain. */
export interface SeenScan {
  readonly scan: SurfaceScan
  readonly findings: readonly SurfaceFinding[]
}

/** A target on the wire; instants in unix seconds. */
export const targetView = (target: SurfaceTarget, challenge: Challenge) => ({
  domain: target.domain,
  license_id: target.licenseId,
  verified: target.verifiedAt !== undefined,
  ...presentSeconds('verified_at', target.verifiedAt),
  challenge,
  ...presentSeconds('checked_at', target.checkedAt),
  ...present('reason', target.reason),
})

/** A target with the state of its newest scan, on the wire. */
export const seenTargetView = ({ target, challenge, last, open }: SeenTarget) => ({
  ...targetView(target, challenge),
  ...(last === undefined
    ? {}
    : {
        last_scan: {
          id: last.id,
          state: last.state,
          ...presentSeconds('finished_at', last.finishedAt),
          open_findings: open,
        },
      }),
})
/** A target with the state of its newest scan. */
export type SeenTargetView = ReturnType<typeof seenTargetView>

/** A stored finding on the wire. */
export const findingView = (found: SurfaceFinding) => ({
  ...bareFinding(found),
  domain: found.domain,
  license_id: found.licenseId,
  status: found.status,
  first_seen_at: unixSeconds(found.firstSeenAt),
  last_seen_at: unixSeconds(found.lastSeenAt),
})
/** A stored finding. */
export type FindingView = ReturnType<typeof findingView>

const bareFinding = ({ id, check, severity, host, url, evidence, remediation }: Finding) => ({
  id,
  check,
  severity,
  host,
  ...present('url', url),
  evidence,
  remediation,
})

/** A scan on the wire. */
export function scanView({ scan, findings }: SeenScan) {
  const { hosts, findings: found, skipped, errors } = scan.result ?? EMPTY_RESULT
  const stored = new Map(findings.map((each) => [each.fingerprint, each]))
  return {
    ...scanHead(scan),
    hosts,
    findings: found.map((each) => {
      const known = stored.get(findingFingerprint(each))
      const times = known && { first_seen_at: unixSeconds(known.firstSeenAt), status: known.status }
      return { ...bareFinding(each), ...times }
    }),
    skipped,
    errors,
  }
}
/** A scan with its findings. */
export type ScanView = ReturnType<typeof scanView>

/** A scan without its findings. */
export const scanHead = (scan: SurfaceScan) => ({
  id: scan.id,
  domain: scan.domain,
  license_id: scan.licenseId,
  state: scan.state,
  checks: scan.checks,
  ...presentSeconds('created_at', scan.createdAt),
  ...presentSeconds('started_at', scan.startedAt),
  ...presentSeconds('finished_at', scan.finishedAt),
  progress: scan.progress,
  ...present('error', scan.error),
})

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 1024)
const count = whole(0, Number.MAX_SAFE_INTEGER)
const challenge = namedShape('DomainChallenge', { type: oneOf(['TXT']), name: word, value: word })
const target = {
  domain: word,
  license_id: word,
  verified: flag(),
  verified_at: optional(count),
  challenge,
  checked_at: optional(count),
  reason: optional(word),
}
const finding = {
  id: word,
  check: word,
  severity: oneOf(FINDING_SEVERITIES),
  host: word,
  url: optional(word),
  evidence: word,
  remediation: word,
}
const counts = shape({ high: count, medium: count, low: count, info: count })
const head = {
  id: word,
  domain: word,
  license_id: word,
  state: oneOf(SCAN_STATES),
  checks: listOf(word, ANY),
  created_at: optional(count),
  started_at: optional(count),
  finished_at: optional(count),
  progress: finite(),
  error: optional(word),
}

const tls = shape({
  protocol: word,
  issuer: word,
  not_after: finite(),
  names: listOf(word, ANY),
  named: flag(),
  valid: flag(),
  problem: optional(word),
})
const wordOrNull = field<string | null>(
  { type: ['string', 'null'] },
  (value) => value === null || typeof value === 'string',
  'a string or null',
)
const host = namedShape('ScannedHost', {
  name: word,
  ips: listOf(shape({ ip: word, attested: flag(), cdn: wordOrNull }), ANY),
  sources: listOf(word, ANY),
  ports: listOf(
    shape({
      ip: word,
      port: count,
      state: oneOf(['open']),
      service: word,
      banner: optional(word),
      tls: optional(tls),
    }),
    ANY,
  ),
  http: listOf(
    shape({
      url: word,
      status: count,
      server: optional(word),
      title: optional(word),
      location: optional(word),
      tech: listOf(word, ANY),
      missing_headers: listOf(word, ANY),
    }),
    ANY,
  ),
})

/** Shapes of answers, for documents. */
export const SURFACE_SHAPES = {
  challenge,
  target: namedShape('ScanTarget', target),
  seenTarget: namedShape('SeenScanTarget', {
    ...target,
    last_scan: optional(
      shape({ id: word, state: oneOf(SCAN_STATES), finished_at: optional(count), open_findings: counts }),
    ),
  }),
  finding: namedShape('Finding', {
    ...finding,
    domain: word,
    license_id: word,
    status: oneOf(FINDING_STATUSES),
    first_seen_at: count,
    last_seen_at: count,
  }),
  head: namedShape('ScanHead', head),
  scan: namedShape('Scan', {
    ...head,
    hosts: listOf(host, ANY),
    findings: listOf(
      shape({ ...finding, first_seen_at: optional(count), status: optional(oneOf(FINDING_STATUSES)) }),
      ANY,
    ),
    skipped: listOf(shape({ host: word, reason: word }), ANY),
    errors: listOf(shape({ check: word, source: word, error: word }), ANY),
  }),
} as const
