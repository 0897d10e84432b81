import type { MigrationStep } from './index.ts'

/** Alerts and their delivery. */
export const alerts: MigrationStep = { name: '0006-alerts', sql: [] }
