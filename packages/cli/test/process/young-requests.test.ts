// The engine is watched from outside: no program can ask it for its settings.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { embeddedFolder } from '@svc/testing'
import { SvcProcess } from '../support/svc-process.ts'

const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']
const AFTER_A_STALL = fileURLToPath(new URL('../support/requests-after-a-stall.ts', import.meta.url))
const BIN = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))
const PATIENCE_MS = 60_000

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  await embeddedFolder(join(cwd, '.svc'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

test(
  'After a stall 100,000 quick requests need no full collection',
  async () => {
    await using server = new SvcProcess(['young'], { cwd, program: [...FLAGS, AFTER_A_STALL] })
    expect(await server.end()).toBe(0)
    // Four or five without the setting.
    const { fullCollections } = JSON.parse(server.out.text) as { fullCollections: number }
    expect(fullCollections).toBeLessThan(2)
  },
  PATIENCE_MS,
)

test(
  'The engine of a server does not judge how long objects live',
  async () => {
    const program = ['--trace-gc', '--trace-pretenuring-statistics', ...FLAGS, BIN]
    await using server = new SvcProcess(['serve', '--port', '0'], { cwd, program })
    const url = await server.serving()
    const before = server.out.text.length
    while (collections(server.out.text.slice(before)) < 3) await (await fetch(`${url}/healthz`)).arrayBuffer()
    // Each collection would report its observations for each place.
    expect(server.out.text.slice(before)).not.toContain('pretenuring:')
  },
  PATIENCE_MS,
)

const collections = (told: string): number => told.match(/ms: Scavenge/g)?.length ?? 0
