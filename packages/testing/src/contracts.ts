/** Subpath `@svc/testing/contracts`: the suites a storage must pass. For jest only: they import `@jest/globals`. */
export { agentsStoreContract } from './agents/agents-store-contract.ts'
export { deploymentsStoreContract } from './deployments/deployments-store-contract.ts'
export { jobsStoreContract } from './jobs/jobs-store-contract.ts'
export { licensesStoreContract } from './licenses/licenses-store-contract.ts'
export { auditStoreContract } from './operations/audit-store-contract.ts'
export { storageContract } from './storage-contract.ts'
export { tenantsStoreContract } from './tenants/tenants-store-contract.ts'
