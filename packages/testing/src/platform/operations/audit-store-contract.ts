import type { Storage } from '@svc/core'
import type { AuditFilter } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
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

    it('knows the last of the newest entries, and shows those from an id on', async () => {
      const [clock, ids] = [new FakeClock(), [] as string[]]
      for (let count = 0; count < 3; count += 1) {
        const entry = buildAuditEntry()
        await audit().add(entry, clock.advance({ seconds: 1 }))
        ids.push(entry.id)
      }
      const [first, second, third] = ids.toSorted()
      const after = `${third}0`
      expect(await Promise.all([1, 2, 3].map((rows) => audit().lookedTo(rows, after)))).toEqual([
        third,
        second,
        first,
      ])
      expect(await audit().lookedTo(1, second)).toBe(first)
      expect(await audit().lookedTo(1_000_000)).toBeUndefined()
      const listed = await audit().list(9, { before: after, ...(second && { from: second }) })
      expect(listed.map(({ id }) => id)).toEqual([third, second])
    })

    it('shows the entries of a person, of an operation and since an instant', async () => {
      const clock = new FakeClock()
      const actor = `${buildId('Ada')}@svc.example`
      const made = ['jobs.enqueue', 'jobs.cancel', 'jobsx', 'fleet.drain'].map((operation) =>
        buildAuditEntry({ actor, operation }),
      )
      for (const entry of made) await audit().add(entry, clock.advance({ seconds: 1 }))
      const found = async (filter: AuditFilter) =>
        (await audit().list(100, { who: actor, ...filter })).map(({ operation }) => operation)
      expect(await found({})).toEqual(['fleet.drain', 'jobsx', 'jobs.cancel', 'jobs.enqueue'])
      expect(await found({ who: actor.slice(1, -4).toUpperCase() })).toHaveLength(4)
      expect(await found({ who: `${actor}%` })).toEqual([])
      expect(await found({ operation: 'jobs.' })).toEqual(['jobs.cancel', 'jobs.enqueue'])
      expect(await found({ operation: 'jobs.cancel' })).toEqual(['jobs.cancel'])
      expect(await found({ since: clock.now() })).toEqual(['fleet.drain'])
      expect(await found({ since: new Date(clock.now().getTime() + 1) })).toEqual([])
      expect(await audit().list(1, { who: actor, operation: 'jobs' })).toMatchObject([{ operation: 'jobsx' }])
    })

    it('goes on before an entry, and leaves an input out that is too long', async () => {
      const actor = buildId('Ada')
      const entries = [{ note: 'x' }, { note: 'x'.repeat(1_000_000) }, {}].map((input) =>
        buildAuditEntry({ actor, input }),
      )
      for (const entry of entries) await audit().add(entry)
      const [first, second, third] = entries
      const pages = async (before?: string) =>
        (await audit().list(9, { who: actor, before })).map(({ id, input }) => ({ id, input }))
      const cut = { cut: 'too long to be kept' }
      const older = [
        { id: second?.id, input: cut },
        { id: first?.id, input: { note: 'x' } },
      ]
      expect(await pages()).toEqual([{ id: third?.id, input: {} }, ...older])
      expect(await pages(third?.id)).toEqual(older)
      expect(await pages(first?.id)).toEqual([])
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
