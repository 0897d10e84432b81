import { MemoryTable, type UndoLog } from '../memory-table.ts'
import type {
  AlertActionEntry,
  AlertWebhook,
  MemoryAlert,
  MemoryAlertKey,
  MemoryDelivery,
  MemoryEvaluation,
  MemoryIdentity,
  MemoryNotice,
  MemoryRefusals,
} from './memory-alert.ts'

/** Tables of alerts in the fake storage. */
export class AlertTables {
  readonly actions: MemoryTable<AlertActionEntry>
  readonly alerts: MemoryTable<MemoryAlert>
  readonly deliveries: MemoryTable<MemoryDelivery>
  readonly evaluations: MemoryTable<MemoryEvaluation>
  readonly identities: MemoryTable<MemoryIdentity>
  readonly notices: MemoryTable<MemoryNotice>
  readonly refusals: MemoryTable<MemoryRefusals>
  readonly watches: MemoryTable<MemoryAlertKey>
  readonly webhooks: MemoryTable<AlertWebhook>

  constructor(undo: UndoLog) {
    this.actions = new MemoryTable(undo)
    this.alerts = new MemoryTable(undo)
    this.deliveries = new MemoryTable(undo)
    this.evaluations = new MemoryTable(undo)
    this.identities = new MemoryTable(undo)
    this.notices = new MemoryTable(undo)
    this.refusals = new MemoryTable(undo)
    this.watches = new MemoryTable(undo)
    this.webhooks = new MemoryTable(undo)
  }
}
