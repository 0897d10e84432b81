import type { RecordType } from './dns-answer.ts'

/** Reasons why a question has no answer. None of them says anything about the zone, so none is drift. */
export const DNS_ERRORS = ['timeout', 'servfail', 'refused', 'malformed', 'unreachable'] as const
export type DnsError = (typeof DNS_ERRORS)[number]

/** Reply of a server: records in presentation format, the fact that there are none, or an error. */
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

/** A batch of questions that can be cancelled together. */
export interface DnsBatch {
  /** Asks one question. Never rejects. Switches to TCP if the answer is truncated. */
  ask(question: DnsQuestion): Promise<DnsReply>
  /** Cancels all pending questions; they end as `timeout`. */
  cancel(): void
}

/** Port to DNS servers. Answers come from the network, never from a cache or the hosts file. */
export interface DnsClient {
  /** Returns the system's resolvers, as `ip[:port]`. */
  systemServers(): readonly string[]
  batch(): DnsBatch
}
