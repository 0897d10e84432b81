import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from '@jest/globals'
import { noDiskBecause, tinyDisk } from '../../../../../test/support/tiny-disk.ts'
import { pgliteDriver } from '../../../src/platform/database/orm.ts'
import { translated } from '../../../src/platform/database/unavailable.ts'

const WRITER = fileURLToPath(new URL('panic-writer.ts', import.meta.url))
// Time limit: creating a database takes seconds on a busy machine, and a hang must fail here, not hold up the
// run.
const PATIENCE_MS = 120_000

const onDisk = noDiskBecause === undefined ? it : it.skip
const skipped = noDiskBecause === undefined ? '' : ` (skipped: ${noDiskBecause})`

interface Told {
  readonly kept: number
  readonly first: string
  readonly next: string
  readonly isLost: boolean
}

async function writeUntilFull(folder: string, fill: () => Promise<void>): Promise<Told> {
  const child = spawn(process.execPath, ['--conditions=svc-source', '--no-warnings', WRITER, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: PATIENCE_MS / 2,
    killSignal: 'SIGKILL',
  })
  const gone = once(child, 'close')
  const lines = createInterface(child.stdout)
  const said = lines[Symbol.asyncIterator]()
  expect((await said.next()).value).toBe('ready')
  await fill()
  child.stdin.write('go\n')
  const { value } = await said.next()
  await gone
  return JSON.parse(value ?? '{"first":"it hung"}') as Told
}

describe('an embedded database whose disk is full', () => {
  onDisk(
    `gives up where its log cannot grow, answers at once from then on, and has every acknowledged row when there is room${skipped}`,
    async () => {
      await using disk = await tinyDisk(160)
      const folder = join(disk.folder, 'database')
      await mkdir(folder)
      const told = await writeUntilFull(folder, () => disk.fill(4096))
      expect(told).toEqual({ kept: expect.any(Number), first: 'PANIC', next: '57P02', isLost: true })
      expect(told.kept).toBeGreaterThan(0)
      await disk.free()
      const driver = await pgliteDriver({ dataDir: folder })
      const [row] = await driver.probe<{ kept: string }>('select count(distinct n) as kept from kept')
      await driver.close()
      // One more row may exist: it was committed, and its answer lost.
      expect([told.kept, told.kept + 1]).toContain(Number(row?.kept))
    },
    PATIENCE_MS,
  )

  it('is unavailable, not at fault', () => {
    expect(translated(Object.assign(new Error('given up'), { code: '57P02' }))).toMatchObject({
      code: 'unavailable',
    })
  })
})
