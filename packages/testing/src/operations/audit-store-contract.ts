import { describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { FakeClock } from '../fake-clock.ts'
import { openedStorage } from '../opened-storage.ts'
import { buildAuditEntry } from './build-audit-entry.ts'

/** Contract suite of stores of the audit log. */
export function auditStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`audit store on ${name}`, () => {
    const storage = openedStorage(open)
    const audit = () => storage().audit

    it('keeps entries as they are, newest first, and shows at most so many', async () => {
      const { clock, made } = { clock: new FakeClock(), made: [] as unknown[] }
      for (const outcome of ['ok', 'not-found', 'conflict']) {
        const entry = buildAuditEntry({ outcome, input: { host: 'web-1', deep: { list: [1, null, 'x'] } } })
        await audit().add(entry, clock.advance({ seconds: 1 }))
        made.unshift({ ...entry, at: clock.now() })
      }
      expect(await audit().list(3)).toEqual(made)
      expect(await audit().list(2)).toEqual(made.slice(0, 2))
    })

    it('refuses a second entry of the same id, and keeps the first', async () => {
      const entry = buildAuditEntry()
      await audit().add(entry)
      await expect(audit().add({ ...entry, outcome: 'rewritten' })).rejects.toThrow()
      expect(await audit().list(1)).toMatchObject([{ id: entry.id, outcome: 'ok' }])
    })

    it('an entry goes with the transaction that it belongs to', async () => {
      const entry = buildAuditEntry()
      const work = storage().transaction(async (stores) => {
        await stores.audit.add(entry)
        throw new Error('on purpose')
      })
      await expect(work).rejects.toThrow('on purpose')
      expect((await audit().list(100)).map(({ id }) => id)).not.toContain(entry.id)
    })

    it('without an instant the database’s clock counts', async () => {
      const { now } = await storage().health()
      await audit().add(buildAuditEntry())
      const [entry] = await audit().list(1)
      expect(Math.abs((entry?.at.getTime() ?? 0) - now.getTime())).toBeLessThan(60_000)
    })
  })
}
