import type { License } from '@svc/core'
import type { AlertMailboxes } from '@svc/core/ports'
import { MemoryTable, type UndoLog } from '../../memory-table.ts'
import type { MemoryDelivery } from '../../platform/deliveries/memory-delivery.ts'
import type {
  AlertActionEntry,
  AlertWebhook,
  MemoryAlert,
  MemoryAlertKey,
  MemoryEvaluation,
  MemoryIdentity,
  MemoryNotice,
  MemoryRefusals,
} from './memory-alert.ts'

/** Tables of alerts in the fake storage. */
export class AlertTables {
  readonly actions: MemoryTable<AlertActionEntry>
  readonly alerts: MemoryTable<MemoryAlert>
  /** The outbox of all features, where alerts look up the outcome of their notices. */
  readonly deliveries: MemoryTable<MemoryDelivery>
  /** The licenses of all features, by which alerts find the tenant of a license. */
  readonly licenses: Pick<MemoryTable<License>, 'get'>
  readonly evaluations: MemoryTable<MemoryEvaluation>
  readonly identities: MemoryTable<MemoryIdentity>
  readonly notices: MemoryTable<MemoryNotice>
  readonly refusals: MemoryTable<MemoryRefusals>
  readonly watches: MemoryTable<MemoryAlertKey>
  readonly webhooks: MemoryTable<AlertWebhook>
  readonly mailboxes: MemoryTable<AlertMailboxes>

  constructor(
    undo: UndoLog,
    deliveries: MemoryTable<MemoryDelivery>,
    licenses: Pick<MemoryTable<License>, 'get'>,
  ) {
    this.licenses = licenses
    this.actions = new MemoryTable(undo)
    this.alerts = new MemoryTable(undo)
    this.deliveries = deliveries
    this.evaluations = new MemoryTable(undo)
    this.identities = new MemoryTable(undo)
    this.notices = new MemoryTable(undo)
    this.refusals = new MemoryTable(undo)
    this.watches = new MemoryTable(undo)
    this.webhooks = new MemoryTable(undo)
    this.mailboxes = new MemoryTable(undo)
  }
}
