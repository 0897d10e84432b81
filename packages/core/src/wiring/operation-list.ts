import { agentOperations } from '../agents/agent-operations.ts'
import { alertOperations } from '../alerts/alert-operations.ts'
import { alertWebhookOperations } from '../alerts/delivery/alert-webhook-operations.ts'
import { chatOperations } from '../chat/chat-operations.ts'
import { healthOperations } from '../health/health-operations.ts'
import { jobOperations } from '../jobs/job-operations.ts'
import { licenseOperations } from '../licenses/license-operations.ts'
import { monitorOperations } from '../monitors/monitor-operations.ts'
import { auditOperations } from '../operations/audit-operations.ts'
import type { Operation } from '../operations/operation.ts'
import { tenantOperations } from '../tenants/tenant-operations.ts'
import { userOperations } from '../users/user-operations.ts'

/** All operations. */
export const OPERATIONS: readonly Operation[] = [
  ...licenseOperations,
  ...tenantOperations,
  ...userOperations,
  ...jobOperations,
  ...agentOperations,
  ...alertOperations,
  ...alertWebhookOperations,
  ...monitorOperations,
  ...chatOperations,
  ...auditOperations,
  ...healthOperations,
]
