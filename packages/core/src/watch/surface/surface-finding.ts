import { hash } from 'node:crypto'
import { cut } from '../../kernel/cut.ts'
import { redact } from '../../kernel/redaction/redactor.ts'
import type { SurfaceCheck } from './surface-scan.ts'

/** Severities of findings, worst first. */
export const FINDING_SEVERITIES = ['high', 'medium', 'low', 'info'] as const
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number]

/** A finding is open until a later complete check of the same place does not see it. */
export const FINDING_STATUSES = ['open', 'fixed'] as const
export type FindingStatus = (typeof FINDING_STATUSES)[number]

/** Bytes of an answer that a finding shows at most. */
export const EVIDENCE_CHARS = 64

/** Something that a scan found. */
export interface Finding {
  /** The rule, such as `exposed-git-config`. */
  readonly id: string
  readonly check: SurfaceCheck
  readonly severity: FindingSeverity
  readonly host: string
  /** The place that a later scan has to look at to call it fixed: a host, or a host and its port. */
  readonly place: string
  readonly url?: string
  readonly evidence: string
  readonly remediation: string
}

/** A finding of a domain as it is kept. */
export interface SurfaceFinding extends Finding {
  readonly licenseId: string
  readonly domain: string
  /** Names the finding within its domain. */
  readonly fingerprint: string
  readonly status: FindingStatus
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
}

/** Open findings of a domain by severity. */
export type FindingCounts = Readonly<Record<FindingSeverity, number>>
export const NO_FINDINGS: FindingCounts = { high: 0, medium: 0, low: 0, info: 0 }

/** The name of a finding: the same rule at the same place is the same finding. */
export const findingFingerprint = ({ id, place, url = '' }: Pick<Finding, 'id' | 'place' | 'url'>): string =>
  hash('sha256', `${id}\n${place}\n${url}`).slice(0, 32)

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a stranger sends is shown in a terminal
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffd]+/g

/** One line of a stranger's text, fit to be stored and shown: at most `most` characters. */
export const shownText = (text: string, most: number): string =>
  cut(
    cut(text, most * 4)
      .replace(UNPRINTABLE, ' ')
      .trim(),
    most,
  )

const VALUE = /((?:^|[\s;,{])["']?[A-Za-z_][\w.-]{0,63}["']?\s*(?:=|:(?!\/\/))\s*).*/s
const USERINFO = /\/\/[^/\s@]+@/g

/** Returns the part of an answer that a finding shows: one short line without values. */
export const evidenceOf = (text: string): string =>
  shownText(redact(shownText(text, 512).replace(VALUE, '$1…').replace(USERINFO, '//…@')), EVIDENCE_CHARS)
