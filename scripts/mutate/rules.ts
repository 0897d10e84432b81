/** Pure rules, and the suites that have to notice each small change of them. */
export interface Rules {
  /** Sources that are changed, from `packages/core/src`. */
  readonly sources: readonly string[]
  /** Test files, from `packages/core/test`, without `.test.ts`. */
  readonly suites: readonly string[]
  /** The share of changes, in percent, that the suites notice at least. */
  readonly least: number
}

/** Suites that need no database: each change is tried by all of those beside it. */
export const RULES: readonly Rules[] = [
  {
    sources: ['alerts/alert-lifecycle.ts'],
    suites: ['alerts/alert-{lifecycle,instants,properties}'],
    least: 1,
  },
  {
    sources: ['jobs/{job,job-log,job-payload,job-report,lease}.ts'],
    suites: ['jobs/job-{log,payload,rules}'],
    least: 1,
  },
  {
    sources: ['limits/{rate-counter-memory,rate-windows}.ts'],
    suites: ['limits/rate-{counter-memory,windows}'],
    least: 1,
  },
  { sources: ['monitors/dns-answer.ts'], suites: ['monitors/dns-answer'], least: 1 },
  {
    sources: ['net/{address-range,public-address,client-network}.ts'],
    suites: ['net/{public-address,special-ranges,client-network}'],
    least: 1,
  },
  { sources: ['sessions/session-cookie.ts'], suites: ['sessions/session-cookie'], least: 1 },
  {
    sources: ['signing/{json-web-key,same-secret,signed-token,signing-key,key-text}.ts'],
    suites: ['signing/{json-web-key,same-secret,signed-token,signing-key}'],
    least: 1,
  },
]
