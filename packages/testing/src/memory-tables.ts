import type { License } from '@svc/core'
import { isTerminal } from '@svc/core'
import type { Agent, AuditEntry, NewDeployment } from '@svc/core/ports'
import { MemoryTable, UndoLog } from './memory-table.ts'
import type { MemoryDelivery, MemoryRecipient } from './platform/deliveries/memory-delivery.ts'
import { MemorySignals } from './platform/signals/memory-signals.ts'
import { AlertTables } from './watch/alerts/alert-tables.ts'
import type { LogChunk } from './work/jobs/job-logs-memory.ts'
import type { MemoryJob } from './work/jobs/memory-job.ts'

/** A host with the counter of its heartbeats, and the time of its last proof. */
export type MemoryAgent = Agent & { readonly seq: number; readonly accessProofMs: number | undefined }

/** A license with the digest of its key, as the database keeps it. */
export type MemoryLicense = License & { readonly keyDigest: string }

/**
 * All tables of the fake storage: by name, or as a property if the simulator reads the table or its rows are
 * grouped.
 */
export class MemoryTables {
  readonly undo = new UndoLog()
  readonly agents = new MemoryTable<MemoryAgent>(this.undo)
  readonly deliveries = new MemoryTable<MemoryDelivery>(this.undo)
  readonly recipients = new MemoryTable<MemoryRecipient>(this.undo)
  readonly licenses = new MemoryTable<MemoryLicense>(this.undo)
  readonly alerting = new AlertTables(this.undo, this.deliveries, this.licenses)
  readonly audit = new MemoryTable<AuditEntry>(this.undo)
  readonly deployments = new MemoryTable<NewDeployment & { readonly createdAt: Date }>(this.undo)
  /** Grouped: the unfinished jobs of each license. */
  readonly jobs = new MemoryTable<MemoryJob>(this.undo, (row) =>
    isTerminal(row.job.state) ? undefined : row.job.licenseId,
  )
  /** The log chunks of each job, in order. */
  readonly logs = new MemoryTable<readonly LogChunk[]>(this.undo)
  /** Whether the tables tell events already. */
  isTelling = false
  readonly signals = new MemorySignals()
  /** The tables that stores have asked for by name. */
  readonly named: Record<string, MemoryTable<unknown>> = {}

  /** Returns the table of this name, which is empty at first. Every caller gives the same type of rows. */
  of<Row>(name: string): MemoryTable<Row> {
    this.named[name] ??= new MemoryTable<unknown>(this.undo)
    return this.named[name] as unknown as MemoryTable<Row>
  }
}
