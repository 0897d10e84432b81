import { type AppDatabase, type AppDatabasesStore, appDatabaseId, type NewAppDatabase } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'

type Row = NewAppDatabase & Pick<AppDatabase, 'id' | 'createdAt' | 'updatedAt'>

/** Databases of hosts in memory; the state of each is read from its job. */
export function memoryAppDatabasesStore(tables: MemoryTables, run: Run, time: () => Date): AppDatabasesStore {
  const databases = tables.of<Row>('appDatabases')
  const joined = (row: Row | undefined): AppDatabase[] => {
    const job = row && tables.jobs.get(row.jobId)?.job
    if (row === undefined || job === undefined) return []
    return [{ ...row, jobState: job.state, jobError: job.error, jobTarget: job.target }]
  }
  return {
    find: (licenseId, name) => run(() => joined(databases.get(appDatabaseId(licenseId, name)))[0]),
    list: (licenseId) =>
      run(() =>
        databases
          .all()
          .filter((row) => row.licenseId === licenseId)
          .sort((one, other) => byBytes(one.name, other.name))
          .flatMap(joined),
      ),
    put: (given, now = time()) =>
      run(() => {
        const id = appDatabaseId(given.licenseId, given.name)
        const createdAt = databases.get(id)?.createdAt ?? now
        databases.put(id, { ...given, id, createdAt, updatedAt: now })
      }),
    remove: (licenseId, name) =>
      run(() => {
        const id = appDatabaseId(licenseId, name)
        const isThere = databases.get(id) !== undefined
        databases.put(id, undefined)
        return isThere
      }),
  }
}
