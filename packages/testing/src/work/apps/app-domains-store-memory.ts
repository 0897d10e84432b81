import { type AppDomain, type AppDomainsStore, appDomainId, type NewAppDomain } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'

/** A domain as the fake stores it. */
export type MemoryAppDomain = NewAppDomain & Pick<AppDomain, 'id' | 'createdAt' | 'updatedAt'>

/** Domains of apps in memory; the state of each is read from its job. */
export function memoryAppDomainsStore(tables: MemoryTables, run: Run, time: () => Date): AppDomainsStore {
  const apps = tables.of<unknown>('apps')
  const domains = tables.of<MemoryAppDomain>('appDomains')
  const joined = (row: MemoryAppDomain | undefined): AppDomain[] => {
    const job = row && tables.jobs.get(row.jobId)?.job
    if (row === undefined || job === undefined) return []
    return [{ ...row, jobState: job.state, jobError: job.error, jobTarget: job.target }]
  }
  return {
    find: (licenseId, domain) => run(() => joined(domains.get(appDomainId(licenseId, domain)))[0]),
    list: (appId) =>
      run(() =>
        domains
          .all()
          .filter((row) => row.appId === appId)
          .sort((one, other) => byBytes(one.domain, other.domain))
          .flatMap(joined),
      ),
    put: (given: NewAppDomain, now = time()) =>
      run(() => {
        const id = appDomainId(given.licenseId, given.domain)
        const before = domains.get(id)
        if (before !== undefined && before.appId !== given.appId) return false
        if (apps.get(given.appId) === undefined) throw new Error(`there is no app ${given.appId}`)
        domains.put(id, { ...given, id, createdAt: before?.createdAt ?? now, updatedAt: now })
        return true
      }),
    remove: (licenseId, domain) =>
      run(() => {
        const id = appDomainId(licenseId, domain)
        const isThere = domains.get(id) !== undefined
        domains.put(id, undefined)
        return isThere
      }),
  }
}
