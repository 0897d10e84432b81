import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import type { NewGitDelivery, NewGitHook } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildGitDelivery, buildGitHook } from './build-git-hook.ts'

const MAIN = 'refs/heads/main'
const HOUR_MS = 3_600_000

/** Contract suite of stores of git hooks. */
export function gitHooksStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`git hooks store on ${name}`, () => {
    const storage = openedStorage(open)
    const hooks = () => storage().gitHooks

    async function scene(fields: Partial<NewGitHook> = {}) {
      const clock = new FakeClock()
      const given = buildGitHook(fields)
      const hook = await hooks().add(given, 100, clock.now())
      const record = (delivery: Partial<NewGitDelivery> = {}, at = clock.now()) => {
        const made = buildGitDelivery({ hookId: given.id, ...delivery })
        return hooks()
          .record(made, at)
          .then(() => made)
      }
      return { clock, given, hook, id: given.id, record }
    }

    it('keeps everything that a hook is made of', async () => {
      const paths = ['apps/**', 'a "b" \\ *.ts']
      const { clock, given, hook } = await scene({
        tags: 'v*',
        paths,
        pathsIgnore: ['docs/**'],
        enabled: false,
        cancelInProgress: true,
        allowSkip: false,
        cloneKind: 'deploy_key',
        submodules: 'owner',
        deployKey: 'ssh-ed25519 AAAA svc-shop',
      })
      const expected = { ...given, createdAt: clock.now(), updatedAt: clock.now() }
      expect(hook).toEqual(expected)
      expect(await hooks().get(PLATFORM, given.id)).toEqual(expected)
      expect(await hooks().lock(given.id)).toEqual(expected)
      expect(await hooks().find(PLATFORM, given.id)).toEqual([expected])
      expect(await hooks().list(ofLicense(given.licenseId), 10)).toEqual([expected])
    })

    it('a license has one hook for each app, and no more than it may', async () => {
      const { given } = await scene()
      const more = (fields: Partial<NewGitHook>, max: number) =>
        hooks().add(buildGitHook({ licenseId: given.licenseId, ...fields }), max)
      expect(await more({}, 100)).toBeUndefined()
      expect(await more({ app: 'blog' }, 1)).toBeUndefined()
      expect(await more({ app: 'blog' }, 2)).toMatchObject({ app: 'blog' })
      expect((await hooks().list(ofLicense(given.licenseId), 10)).map(({ app }) => app)).toEqual([
        'blog',
        'shop',
      ])
      expect(await hooks().list(ofLicense(given.licenseId), 1)).toHaveLength(1)
      expect((await hooks().find(PLATFORM, 'shop')).some(({ id }) => id === given.id)).toBe(true)
    })

    it('of parallel additions for one app one makes the hook', async () => {
      const licenseId = buildId('lic')
      const made = await Promise.all(
        Array.from({ length: 8 }, () => hooks().add(buildGitHook({ licenseId }), 100)),
      )
      expect(made.filter((each) => each !== undefined)).toHaveLength(1)
    })

    it('a change replaces the settings and nothing else', async () => {
      const { clock, given, hook } = await scene({ tags: 'v*', deployKey: 'ssh-ed25519 AAAA x' })
      const later = clock.advance({ minutes: 1 })
      const settings = {
        ...given,
        branch: 'next',
        tags: undefined,
        deployKey: undefined,
        licenseId: 'other',
        app: 'other',
      }
      const changed = await hooks().change(given.id, settings, later)
      const expected = { ...hook, branch: 'next', tags: undefined, deployKey: undefined, updatedAt: later }
      expect(changed).toEqual(expected)
      expect(await hooks().get(PLATFORM, given.id)).toEqual(expected)
      expect(await hooks().change('ghk_none', settings, later)).toBeUndefined()
    })

    it('secrets are kept by kind, replaced, removed, and over at their end', async () => {
      const { clock, id } = await scene()
      const until = clock.advance({ hours: 1 })
      await hooks().setSecret({ hookId: id, kind: 'secret', text: 'v1:a', until: undefined })
      await hooks().setSecret({ hookId: id, kind: 'previous', text: 'v1:b', until })
      await hooks().setSecret({ hookId: id, kind: 'token', text: 'v1:c', until: undefined })
      await hooks().setSecret({ hookId: id, kind: 'secret', text: 'v1:d', until: undefined })
      const before = new Date(until.getTime() - 1)
      const [previous, secret, token] = [
        { hookId: id, kind: 'previous', text: 'v1:b', until },
        { hookId: id, kind: 'secret', text: 'v1:d', until: undefined },
        { hookId: id, kind: 'token', text: 'v1:c', until: undefined },
      ]
      expect(await hooks().secrets(id, before)).toEqual([previous, secret, token])
      expect(await hooks().secrets(id, until)).toEqual([secret, token])
      await hooks().removeSecret(id, 'token')
      await hooks().removeSecret(id, 'token')
      expect(await hooks().secrets(id, until)).toEqual([secret])
    })

    it('what is removed is gone with its secrets and deliveries, and can be made again', async () => {
      const { id, given, record } = await scene()
      await hooks().setSecret({ hookId: id, kind: 'secret', text: 'v1:a', until: undefined })
      await record()
      expect(await hooks().remove(id)).toBe(true)
      expect(await hooks().remove(id)).toBe(false)
      expect(await hooks().get(PLATFORM, id)).toBeUndefined()
      expect(await hooks().secrets(id)).toEqual([])
      expect(await hooks().deliveries(id, 10)).toEqual([])
      await expect(record()).rejects.toThrow()
      const orphan = { hookId: id, kind: 'secret', text: 'v1:a', until: undefined } as const
      await expect(hooks().setSecret(orphan)).rejects.toThrow()
      expect(await hooks().add(given, 100)).toMatchObject({ id })
    })

    it('deliveries are listed newest first, with everything that they are made of', async () => {
      const { clock, id, record } = await scene()
      const first = await record()
      const at = clock.advance({ minutes: 1 })
      const second = await record({
        ignored: 'branch',
        jobId: undefined,
        before: undefined,
        sha: undefined,
        ref: '',
      })
      expect(await hooks().deliveries(id, 10)).toEqual([
        { ...second, receivedAt: at, micros: `${at.getTime()}000` },
        { ...first, receivedAt: new Date(at.getTime() - 60_000), micros: `${at.getTime() - 60_000}000` },
      ])
      expect(await hooks().deliveries(id, 1)).toHaveLength(1)
      const place = (each: { readonly id: string }, ago: number) => ({
        micros: `${at.getTime() - ago}000`,
        id: each.id,
      })
      expect((await hooks().deliveries(id, 10, place(second, 0))).map((each) => each.id)).toEqual([first.id])
      expect(await hooks().deliveries(id, 10, place(first, 60_000))).toEqual([])
      expect(await hooks().deliveries('ghk_none', 10)).toEqual([])
    })

    it('a record with a job gives way only to one that was accepted', async () => {
      const { clock, id, record } = await scene()
      const ignored = await record({ deliveryId: 'one', ignored: 'paths', jobId: undefined })
      const accepted = await record({ deliveryId: 'one', jobId: 'job_1' }, clock.advance({ seconds: 1 }))
      expect(ignored.id).not.toBe(accepted.id)
      await record({ deliveryId: 'one', ignored: 'duplicate', jobId: 'job_1' }, clock.advance({ seconds: 1 }))
      await record({ deliveryId: 'one', ignored: 'branch', jobId: undefined }, clock.now())
      expect(await hooks().deliveries(id, 10)).toMatchObject([
        { id: accepted.id, jobId: 'job_1', ignored: undefined },
      ])
      const again = await record({ deliveryId: 'one', jobId: 'job_2' }, clock.advance({ seconds: 1 }))
      const other = await record({ deliveryId: 'one', ref: 'refs/tags/v1' })
      const left = (await hooks().deliveries(id, 10)).map((each) => each.id)
      expect(left.toSorted()).toEqual([again.id, other.id].toSorted())
    })

    it('an earlier copy is one of the same name, or for a day of the same body, that has a job', async () => {
      const { clock, id, record } = await scene()
      const key = { hookId: id, deliveryId: 'two', bodyDigest: 'body', ref: MAIN }
      await record({ deliveryId: 'zero', bodyDigest: 'body', ignored: 'branch', jobId: undefined })
      expect(await hooks().earlier(key, clock.now())).toBeUndefined()
      const one = await record({ deliveryId: 'one', bodyDigest: 'body' })
      expect(await hooks().earlier(key, clock.now())).toMatchObject({ id: one.id, jobId: one.jobId })
      expect(await hooks().earlier({ ...key, ref: 'refs/tags/v1' }, clock.now())).toBeUndefined()
      expect(await hooks().earlier({ ...key, hookId: 'ghk_none' }, clock.now())).toBeUndefined()
      const end = new Date(clock.now().getTime() + 24 * HOUR_MS)
      expect(await hooks().earlier(key, new Date(end.getTime() - 1))).toMatchObject({ id: one.id })
      expect(await hooks().earlier(key, end)).toBeUndefined()
      expect(await hooks().earlier({ ...key, deliveryId: 'one' }, end)).toMatchObject({ id: one.id })
      const later = await record({ deliveryId: 'three', bodyDigest: 'body' }, clock.advance({ hours: 1 }))
      expect(await hooks().earlier(key, clock.now())).toMatchObject({ id: later.id })
    })

    it('the newest of a ref is neither a duplicate nor stale', async () => {
      const { clock, id, record } = await scene()
      expect(await hooks().latestOf(id, MAIN)).toBeUndefined()
      await record()
      const newest = await record({ ignored: 'paths', jobId: undefined }, clock.advance({ seconds: 1 }))
      await record({ ignored: 'duplicate' }, clock.advance({ seconds: 1 }))
      await record({ ignored: 'stale', jobId: undefined }, clock.advance({ seconds: 1 }))
      await record({ ref: 'refs/tags/v1' }, clock.advance({ seconds: 1 }))
      expect(await hooks().latestOf(id, MAIN)).toMatchObject({ id: newest.id })
    })

    it('a commit is replaced when an accepted delivery of the same ref came after it', async () => {
      const { id, record } = await scene()
      await record({ before: 'one' })
      await record({ before: 'two', ignored: 'paths', jobId: undefined })
      await record({ before: 'three', ref: 'refs/heads/other' })
      const replaced = await Promise.all(
        ['one', 'two', 'three'].map((sha) => hooks().isReplaced(id, MAIN, sha)),
      )
      expect(replaced).toEqual([true, false, false])
    })

    it('the last delivery of each hook is found at once', async () => {
      const [one, other, silent] = [await scene(), await scene(), await scene()]
      await one.record()
      const last = await one.record({ ignored: 'stale' }, one.clock.advance({ seconds: 1 }))
      const only = await other.record()
      const found = await hooks().lastDeliveries([other.id, silent.id, one.id, one.id, 'ghk_none'])
      const expected = [last, only].toSorted((a, b) => (a.hookId < b.hookId ? -1 : 1)).map(({ id }) => id)
      expect(found.map(({ id }) => id)).toEqual(expected)
      expect(await hooks().lastDeliveries([])).toEqual([])
    })

    it('deliveries are forgotten when they have been kept long enough', async () => {
      const { clock, id, record } = await scene()
      const old = clock.now()
      await record()
      const young = await record({}, new Date(old.getTime() + 1))
      const end = new Date(old.getTime() + 30 * 24 * HOUR_MS)
      await hooks().purge(30, end)
      expect(await hooks().deliveries(id, 10)).toHaveLength(2)
      expect(await hooks().purge(30, new Date(end.getTime() + 1))).toBeGreaterThanOrEqual(1)
      expect(await hooks().deliveries(id, 10)).toMatchObject([{ id: young.id }])
    })

    it('of transactions that lock one hook each sees the work of those before it', async () => {
      const { id } = await scene()
      const seen = await Promise.all(
        Array.from({ length: 6 }, () =>
          storage().transaction(async ({ gitHooks }) => {
            await gitHooks.lock(id)
            const before = (await gitHooks.deliveries(id, 10)).length
            await gitHooks.record(buildGitDelivery({ hookId: id }))
            return before
          }),
        ),
      )
      expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    })
  })
}
