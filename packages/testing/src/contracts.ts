/** Subpath `@svc/testing/contracts`: the suites a storage must pass. For jest only: they import `@jest/globals`. */
export { jobsStoreContract } from './jobs/jobs-store-contract.ts'
