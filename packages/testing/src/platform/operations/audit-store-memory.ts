import {
  type AuditEntry,
  type AuditFilter,
  type AuditStore,
  CUT_INPUT,
  MAX_AUDIT_CHARS,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes, jsonCopy } from '../../text-order.ts'

/** The audit log in memory. */
export function memoryAuditStore({ audit }: MemoryTables, run: Run, time: () => Date): AuditStore {
  return {
    add: (entry: Omit<AuditEntry, 'at'>, now = time()) =>
      run(() => {
        if (audit.get(entry.id) !== undefined) throw new Error(`there is an entry ${entry.id} already`)
        audit.put(entry.id, { ...entry, input: jsonCopy(entry.input), at: now })
      }),
    list: (limit: number, { who, operation, since, before, from = '' }: AuditFilter = {}) =>
      run(() =>
        audit
          .all()
          .filter((entry) => entry.actor.toLowerCase().includes(who?.toLowerCase() ?? ''))
          .filter((entry) => entry.operation.startsWith(operation ?? ''))
          .filter(({ at }) => since === undefined || at >= since)
          .filter(({ id }) => id >= from && (before === undefined || id < before))
          .sort((one, other) => byBytes(other.id, one.id))
          .slice(0, limit)
          .map((entry) =>
            JSON.stringify(entry.input).length <= MAX_AUDIT_CHARS ? entry : { ...entry, input: CUT_INPUT },
          ),
      ),
    lookedTo: (rows, before) =>
      run(() => {
        const ids = audit.all().map(({ id }) => id)
        const older = before === undefined ? ids : ids.filter((id) => id < before)
        return older.sort((one, other) => byBytes(other, one))[rows - 1]
      }),
  }
}
