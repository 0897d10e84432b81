import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ArchiveFolder } from '../../../src/platform/archive/archive-folder.ts'
import { days, retentionPlane } from './retention-scene.ts'

let parent: string
let dir: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-retention-'))
  dir = join(parent, 'archive')
})
afterEach(() => rm(parent, { recursive: true }))

const archived = (env: Record<string, string> = {}) =>
  retentionPlane({ env: { SERVICE_ARCHIVE_DIR: dir, ...env } })
const linesOf = async (kind: string) => {
  const names = (await readdir(dir)).filter((name) => name.includes(`.${kind}.`) && name.endsWith('.gz'))
  const texts = await Promise.all(names.sort().map((name) => readFile(join(dir, name))))
  return texts.flatMap((text) =>
    gunzipSync(text)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  )
}

describe('an archive of jobs and logs', () => {
  it('has what went, by the day of the making of the job, without values of env', async () => {
    const { ended, tick } = await archived()
    const job = await ended('shop')
    const others = Array.from({ length: 10 }, () => 'shop')
    await tick(days(1))
    for (const app of others) await ended(app)
    await tick(days(95))
    expect(await linesOf('jobs')).toEqual([
      {
        of: job,
        job: expect.objectContaining({ id: job, kind: 'deploy', state: 'succeeded', app: 'shop' }),
        deployment: expect.objectContaining({ app: 'shop', source: expect.any(Object) }),
      },
    ])
    const logs = await linesOf('logs')
    expect(logs).toHaveLength(11)
    expect(logs[0]).toEqual({ of: job, ts: 1, line: 'a line', attempt: 1, offset: 0 })
    const names = (await readdir(dir)).filter((name) => name.endsWith('.gz')).map((name) => name.slice(0, 15))
    expect(names.sort()).toEqual(['2026-01-05.jobs', '2026-01-05.logs', '2026-01-06.logs'])
  })

  it('gives a log back that is gone, in parts as any other', async () => {
    const { ended, tick, is, plane } = await archived()
    const job = await ended()
    await tick(days(31))
    expect(await is(job)).toEqual([true, false])
    const logs = (input: object) => plane.operations.run('jobs.logs', { job, ...input }, 'ann')
    const line = { ts: 1, line: 'a line', attempt: 1, offset: 0 }
    expect(await logs({})).toMatchObject({ logs: [line], next: 1, done: true, log_gone: true })
    expect(await logs({ limit: 1 })).toMatchObject({ logs: [line], more: true })
    expect(await logs({ after: 1 })).toMatchObject({ logs: [], more: false, done: true })
  })

  it('has lines twice that were written before a removal that failed, and gives them back once', async () => {
    const { ended, tick, is, storage, plane } = await archived()
    const job = await ended()
    const { removeLogs } = storage.retention
    storage.retention.removeLogs = async () => {
      throw new Error('the database is away')
    }
    await tick(days(31))
    expect(await is(job)).toEqual([true, true])
    storage.retention.removeLogs = removeLogs
    await tick()
    expect(await is(job)).toEqual([true, false])
    expect(await linesOf('logs')).toHaveLength(2)
    expect(await plane.operations.run('jobs.logs', { job }, 'ann')).toMatchObject({
      logs: [{ line: 'a line' }],
    })
  })

  it('removes nothing that could not be written', async () => {
    const { ended, tick, is } = await archived()
    await tick()
    const job = await ended()
    const { write } = ArchiveFolder.prototype
    ArchiveFolder.prototype.write = async () => {
      throw new Error('no space left on device')
    }
    try {
      await tick(days(100))
      expect(await is(job)).toEqual([true, true])
    } finally {
      ArchiveFolder.prototype.write = write
    }
    await tick()
    expect(await is(job)).toEqual([false, false])
  })
})

describe('a replica without the folder of the archive', () => {
  const fault = async ({ run, plane }: Awaited<ReturnType<typeof archived>>) => {
    const shown = (await run('retention.show')) as { archive?: { fault?: string } }
    const { checks } = await plane.systemCheck.run()
    return [shown.archive?.fault, checks.find(({ name }) => name === 'retention')?.detail]
  }

  it('removes nothing while it is not mounted, says so, and goes on once it is back', async () => {
    const scene = await archived()
    const { ended, tick, is, run, log } = scene
    await tick()
    const job = await ended()
    await rename(dir, `${dir}.away`)
    await mkdir(dir)
    await tick(days(100))
    expect(await is(job)).toEqual([true, true])
    const why = `${dir} is not there, or is not mounted: it has no mark`
    expect(await fault(scene)).toEqual([why, 'archive-missing'])
    expect(log.lines).toContainEqual(expect.objectContaining({ fields: { why } }))
    await expect(run('retention.run')).rejects.toMatchObject({ code: 'conflict' })
    await rm(dir, { recursive: true })
    await rename(`${dir}.away`, dir)
    await tick()
    expect(await is(job)).toEqual([false, false])
    expect(await fault(scene)).toEqual([undefined, undefined])
  })

  it('refuses the folder of another plane, and one that was an archive before', async () => {
    const other = await archived()
    await other.tick()
    const scene = await archived()
    const job = await scene.ended()
    await scene.tick(days(100))
    expect(await scene.is(job)).toEqual([true, true])
    expect(await fault(scene)).toEqual([
      `${dir} is an archive already: choose an empty folder`,
      'archive-missing',
    ])
    await rm(dir, { recursive: true })
    await scene.tick()
    await rm(dir, { recursive: true })
    await new ArchiveFolder(dir).begin('arc_other')
    expect(await fault(scene)).toEqual([
      `${dir} is the archive of another plane: choose an empty folder`,
      'archive-missing',
    ])
  })

  it('without the setting removes nothing, until the setting ends the archive', async () => {
    const { storage, tick, tables } = await archived()
    await tick()
    expect((await storage.retention.state()).archive).toMatch(/^arc_/)
    const bare = await retentionPlane({ tables })
    const job = await bare.ended()
    await bare.tick(days(100))
    expect(await bare.is(job)).toEqual([true, true])
    expect((await fault(bare))[0]).toContain('set SERVICE_ARCHIVE_DIR to its folder, or to none to end it')
    const none = await retentionPlane({ tables, env: { SERVICE_ARCHIVE_DIR: 'none' } })
    await none.tick(days(101))
    expect((await storage.retention.state()).archive).toBeUndefined()
    expect(await none.is(job)).toEqual([false, false])
  })
})
