import type { RecordType } from './dns-answer.ts'

/** Why a question has no answer. None of these says anything about the zone, so none is ever drift. */
export const DNS_ERRORS = ['timeout', 'servfail', 'refused', 'malformed', 'unreachable'] as const
export type DnsError = (typeof DNS_ERRORS)[number]

/** What a server says: records in presentation format, that there are none, or nothing of use. */
export type DnsReply =
  | { readonly status: 'records'; readonly records: readonly string[] }
  | { readonly status: 'nodata' | 'nxdomain' }
  | { readonly status: 'error'; readonly error: DnsError }

/** One question to one server. */
export interface DnsQuestion {
  /** `ip[:port]` */
  readonly server: string
  readonly host: string
  readonly type: RecordType
}

/** Questions that are asked together and can be given up together. */
export interface DnsBatch {
  /** Never rejects. Goes over to TCP when an answer is cut short. */
  ask(question: DnsQuestion): Promise<DnsReply>
  /** Gives up every question that is under way; they end as `timeout`. */
  cancel(): void
}

/** Port to DNS servers: the answers of the network, never those of a cache or of the hosts file. */
export interface DnsClient {
  /** `ip[:port]` of the system's own resolvers. */
  systemServers(): readonly string[]
  batch(): DnsBatch
}
