import { MonitorEntity, MonitorHistoryEntity } from '../monitors/monitor-tables-sql.ts'
import { AuditEntity } from '../operations/audit-store-sql.ts'
import { TenantEntity } from '../tenants/tenants-store-sql.ts'

/** Tables whose columns stand in an entity. The statements of the others are text. */
export const ENTITIES = [AuditEntity, TenantEntity, MonitorEntity, MonitorHistoryEntity]
