import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ExportPlace } from '../../../../src/sql.ts'
import { POSTGRES, SERVER } from '../backends.ts'
import { emptyDatabase, exported, imported } from './export-bench.ts'
import { filledFolder } from './filled-folder.ts'

let folder: string
let file: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-transfer-'))
  file = await exported(await filledFolder(join(folder, 'source')))
  await writeFile(join(folder, 'file'), file)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Kills a process when it has read nearly all of the file. */
async function killedHalfway(place: ExportPlace): Promise<void> {
  const program = join(import.meta.dirname, 'half-import.ts')
  const args = ['--conditions=svc-source', program, JSON.stringify(place), join(folder, 'file')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await gone
}

test(`A process that is killed halfway leaves ${POSTGRES} empty, and the next import succeeds`, async () => {
  await using database = await emptyDatabase(SERVER)
  const place = { url: database.url }
  await killedHalfway(place)
  await imported(place, file)
  expect(await exported(place)).toBe(file)
}, 120_000)

test('A process that is killed halfway leaves a folder empty, and the next import succeeds', async () => {
  const place = { dataDir: join(folder, 'target') }
  await killedHalfway(place)
  await imported(place, file)
  expect(await exported(place)).toBe(file)
}, 120_000)
