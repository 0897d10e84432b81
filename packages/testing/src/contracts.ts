/**
 * Subpath `@svc/testing/contracts`: contract suites that a storage must pass. They run under jest only, as
 * they import `@jest/globals`.
 */
export { agentsStoreContract } from './agents/agents-store-contract.ts'
export { alertDeliveriesStoreContract } from './alerts/alert-deliveries-store-contract.ts'
export { alertFactsStoreContract } from './alerts/alert-facts-store-contract.ts'
export { alertListsContract } from './alerts/alert-lists-contract.ts'
export { alertsStoreContract } from './alerts/alerts-store-contract.ts'
export { conversationsStoreContract } from './chat/conversations-store-contract.ts'
export { crowdsContract } from './crowds/crowds-contract.ts'
export { deploymentsStoreContract } from './deployments/deployments-store-contract.ts'
export { instantsContract } from './instants/instants-contract.ts'
export { jobsStoreContract } from './jobs/jobs-store-contract.ts'
export { licensesStoreContract } from './licenses/licenses-store-contract.ts'
export { rateCounterContract } from './limits/rate-counter-contract.ts'
export { monitorsStoreContract } from './monitors/monitors-store-contract.ts'
export { auditStoreContract } from './operations/audit-store-contract.ts'
export { schedulerStoreContract } from './scheduler/scheduler-store-contract.ts'
export { secondFactorsStoreContract } from './second-factors/second-factors-store-contract.ts'
export { sessionsStoreContract } from './sessions/sessions-store-contract.ts'
export { storageContract } from './storage-contract.ts'
export { tenantsStoreContract } from './tenants/tenants-store-contract.ts'
export { usersStoreContract } from './users/users-store-contract.ts'
