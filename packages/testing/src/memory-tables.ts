import type { Agent, AuditEntry, License, NewDeployment, Tenant } from '@svc/core'
import { isTerminal } from '@svc/core'
import { AlertTables } from './alerts/alert-tables.ts'
import type { MemoryConversation } from './chat/memory-conversation.ts'
import type { MemoryDelivery } from './deliveries/memory-delivery.ts'
import type { LogChunk } from './jobs/job-logs-memory.ts'
import type { MemoryJob } from './jobs/memory-job.ts'
import { MemoryTable, UndoLog } from './memory-table.ts'
import type { MemoryMonitor } from './monitors/memory-monitor.ts'
import type { MemoryScheduledTask } from './scheduler/scheduler-store-memory.ts'
import type { MemorySecondFactor } from './second-factors/second-factors-store-memory.ts'
import type { MemorySession } from './sessions/sessions-store-memory.ts'
import type { MemoryUser } from './users/users-store-memory.ts'

/** A host with the counter of its heartbeats. */
export type MemoryAgent = Agent & { readonly seq: number }

/** A license with the digest of its key, as the database keeps it. */
export type MemoryLicense = License & { readonly keyDigest: string }

/** All tables of the fake storage. */
export class MemoryTables {
  readonly undo = new UndoLog()
  readonly agents = new MemoryTable<MemoryAgent>(this.undo)
  readonly deliveries = new MemoryTable<MemoryDelivery>(this.undo)
  readonly alerting = new AlertTables(this.undo, this.deliveries)
  readonly audit = new MemoryTable<AuditEntry>(this.undo)
  readonly conversations = new MemoryTable<MemoryConversation>(this.undo)
  readonly deployments = new MemoryTable<NewDeployment & { readonly createdAt: Date }>(this.undo)
  /** Grouped: the unfinished jobs of each license. */
  readonly jobs = new MemoryTable<MemoryJob>(this.undo, (row) =>
    isTerminal(row.job.state) ? undefined : row.job.licenseId,
  )
  readonly licenses = new MemoryTable<MemoryLicense>(this.undo)
  /** The log chunks of each job, in order. */
  readonly logs = new MemoryTable<readonly LogChunk[]>(this.undo)
  /** The number of calls of the language model, by day. */
  readonly modelDays = new MemoryTable<number>(this.undo)
  readonly monitors = new MemoryTable<MemoryMonitor>(this.undo)
  readonly scheduled = new MemoryTable<MemoryScheduledTask>(this.undo)
  readonly secondFactors = new MemoryTable<MemorySecondFactor>(this.undo)
  readonly sessions = new MemoryTable<MemorySession>(this.undo)
  readonly tenants = new MemoryTable<Tenant>(this.undo)
  readonly users = new MemoryTable<MemoryUser>(this.undo)
}
