import { isDeepStrictEqual } from 'node:util'
import type { JobState } from '../jobs/job.ts'
import type { Exposure } from './exposure.ts'

/** The way from a domain to an app, as people choose it. */
export type DomainOptions = Omit<Exposure, 'app' | 'port'>

/** A domain that an app is wanted to have, with the newest job for it. */
export interface AppDomain {
  readonly id: string
  readonly licenseId: string
  readonly appId: string
  readonly domain: string
  readonly options: DomainOptions
  /** Whether its newest job takes it away. */
  readonly isLeaving: boolean
  readonly jobId: string
  /** The one who added or removed it last, as the audit log names operators. */
  readonly madeBy: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** The state of its newest job, the error that it ended with, and the host that it is for. */
  readonly jobState: JobState
  readonly jobError: string | undefined
  readonly jobTarget: string
}

/** A domain to be stored. */
export type NewAppDomain = Omit<
  AppDomain,
  'id' | 'createdAt' | 'updatedAt' | 'jobState' | 'jobError' | 'jobTarget'
>

/** The id of a domain's row: within a license a domain leads to one app. */
export const appDomainId = (licenseId: string, domain: string): string => `${licenseId}.${domain}`

/** States of a domain, as far as its newest job tells. */
export const DOMAIN_STATES = ['pending', 'live', 'failed', 'removing'] as const

/** Whether a host has taken the domain away, so that the row says nothing any more. */
export const isGone = ({ isLeaving, jobState }: Pick<AppDomain, 'isLeaving' | 'jobState'>): boolean =>
  isLeaving && jobState === 'succeeded'

/** Returns the state of a domain that is not gone. */
export function domainState({
  isLeaving,
  jobState,
}: Pick<AppDomain, 'isLeaving' | 'jobState'>): (typeof DOMAIN_STATES)[number] {
  if (jobState === 'failed') return 'failed'
  if (isLeaving) return 'removing'
  return jobState === 'succeeded' ? 'live' : 'pending'
}

/** Whether a domain is wanted with these options already. */
export const isWanted = (
  { isLeaving, options }: Pick<AppDomain, 'isLeaving' | 'options'>,
  wish: DomainOptions,
): boolean => !isLeaving && isDeepStrictEqual(options, wish)
