/** Sources of pure rules, and the suites that must catch mutants of them. */
export interface Rules {
  /** Paths of the sources that are mutated, from `packages/core/src`. */
  readonly sources: readonly string[]
  /** Paths of the test files, from `packages/core/test`, without `.test.ts`. */
  readonly suites: readonly string[]
  /** The least share of mutants, in percent, that the suites must catch. */
  readonly least: number
}

/** All rules. Their suites need no database, and each mutant runs against all suites of its entry. */
export const RULES: readonly Rules[] = [
  {
    sources: ['watch/alerts/alert-lifecycle.ts'],
    suites: ['watch/alerts/alert-{lifecycle,instants}'],
    least: 86,
  },
  {
    sources: ['work/jobs/{job,job-log,job-payload,job-report,lease}.ts'],
    suites: ['work/jobs/job-{log,payload,rules}'],
    least: 70,
  },
  {
    sources: ['platform/limits/rate-counter-memory.ts'],
    suites: ['platform/limits/rate-{counter-memory,windows}'],
    least: 85,
  },
  { sources: ['platform/dns/dns-answer.ts'], suites: ['platform/dns/dns-answer'], least: 86 },
  {
    sources: ['platform/net/{address-range,public-address,client-network}.ts'],
    suites: ['platform/net/{public-address,special-ranges,client-network}'],
    least: 77,
  },
  { sources: ['people/sessions/session-cookie.ts'], suites: ['people/sessions/session-cookie'], least: 79 },
  {
    sources: ['platform/signing/{json-web-key,same-secret,signed-token,signing-key,key-text}.ts'],
    suites: ['platform/signing/{json-web-key,same-secret,signed-token,signing-key}'],
    least: 83,
  },
]
