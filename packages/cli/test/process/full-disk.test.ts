import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { noDiskBecause, tinyDisk } from '../../../../test/support/tiny-disk.ts'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'
import { WireHost } from '../support/wire-host.ts'

// Making an embedded database takes seconds on a busy machine.
const PATIENCE_MS = 300_000
const FULL = pathToFileURL(fileURLToPath(new URL('../support/full-disk-on-signal.mjs', import.meta.url))).href

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const onDisk = noDiskBecause === undefined ? test : test.skip
const skipped = noDiskBecause === undefined ? '' : ` (skipped: ${noDiskBecause})`

const LINES = 50
const LINE_BYTES = 4000
/** Statuses that may answer a write; 0: the server had ended. */
const EXPECTED = [200, 503, 0]
const ANSWER_MS = 60_000

async function healthOf(url: string): Promise<{ status: number; checks: Record<string, unknown> }> {
  const answer = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  return { status: answer.status, ...((await answer.json()) as { checks: Record<string, unknown> }) }
}

interface Issued {
  readonly license: { readonly id: string }
  readonly key: string
}

const LETTERS = 'abcdefghijklmnop'

/**
 * Returns letters that compress badly and never look like a secret, as one of ten megabytes of base64 does.
 */
const randomLetters = () =>
  [...randomBytes(LINE_BYTES)].map((byte) => `${LETTERS[byte >> 4]}${LETTERS[byte & 15]}`).join('')

/** Makes a claimed job and its host. */
async function jobAt(url: string, parts: { cwd: string }, dataDir: string) {
  const place = ['--data-dir', dataDir]
  const { license, key } = await jsonHere<Issued>(['licenses', 'issue', ...place], parts)
  await jsonHere(['jobs', 'enqueue', 'prune', '--license', license.id, ...place], parts)
  const host = new WireHost(key, 'a'.repeat(40))
  return { host, job: await host.claimed(url) }
}

onDisk(
  `A full disk is 503 for those who write and for healthz, never silence; the server ends and is refused a start with a sentence; no acknowledged line is lost${skipped}`,
  async () => {
    await using disk = await tinyDisk(220)
    const dataDir = join(disk.folder, 'data')
    const parts = { cwd }
    const serve = ['serve', '--port', '0', '--data-dir', dataDir]
    const acknowledged: string[] = []
    let jobId = ''
    {
      await using svc = new SvcProcess(serve, parts)
      const url = await svc.serving()
      const { host, job } = await jobAt(url, parts, dataDir)
      jobId = job.id
      const write = async (): Promise<number> => {
        const lines = Array.from({ length: LINES }, randomLetters)
        const said = host.say(url, job, ...lines).catch(() => 0)
        const status = await Promise.race([said, pause(ANSWER_MS, -1, { ref: false })])
        if (status === 200) acknowledged.push(...lines)
        return status
      }
      for (let count = 0; count < 5; count += 1) expect(await write()).toBe(200)
      await disk.fill(3072)
      const statuses = []
      for (let count = 0; count < 20; count += 1) statuses.push(await write())
      expect(statuses.filter((status) => !EXPECTED.includes(status))).toEqual([])
      // Within a second the service has looked at the disk, or the database has given up.
      expect(statuses.at(-1)).not.toBe(200)
      const health = await healthOf(url).catch(() => undefined)
      if (health === undefined) expect(await svc.end()).toBe(1)
      else {
        expect(health.status).toBe(503)
        svc.kill('SIGTERM')
        expect(await svc.end()).toBeLessThanOrEqual(1)
      }
    }
    const refused = await runSvc(serve, parts)
    expect(refused.code).toBe(3)
    expect(refused.err).toMatch(/the disk under .* is nearly full: free \d+ MiB there, then try again/)
    await disk.free()
    await using svc = new SvcProcess(serve, parts)
    expect(await healthOf(await svc.serving())).toMatchObject({ status: 200 })
    const logs = await runSvc(['jobs', 'logs', jobId, '--data-dir', dataDir], parts)
    const stored = new Set(logs.out.split('\n'))
    expect(acknowledged.filter((line) => !stored.has(line))).toEqual([])
    expect(acknowledged.length).toBeGreaterThanOrEqual(5 * LINES)
  },
  PATIENCE_MS,
)

test(
  'A server whose embedded database gives up answers 503 until it has ended in order with code 1, says why, and has its rows when it is started again',
  async () => {
    const parts = { cwd, env: { NODE_OPTIONS: `--import ${FULL}` } }
    const serve = ['serve', '--port', '0', '--data-dir', '.svc']
    let jobId = ''
    {
      await using svc = new SvcProcess(serve, parts)
      const url = await svc.serving()
      const { host, job } = await jobAt(url, { cwd }, '.svc')
      jobId = job.id
      expect(await host.say(url, job, 'acknowledged')).toBe(200)
      svc.kill('SIGUSR2')
      await pause(500)
      const statuses = []
      for (let count = 0; count < 3; count += 1) {
        statuses.push(await host.say(url, job, 'refused').catch(() => 0))
      }
      expect(statuses[0]).toBe(503)
      expect(statuses.filter((status) => ![503, 0].includes(status))).toEqual([])
      expect(await svc.end()).toBe(1)
      const errors = svc.err.text.split('\n').filter((line) => line.includes('has given up: ending'))
      expect(errors).toHaveLength(1)
      expect(errors[0]).toContain('No space left on device')
    }
    await using svc = new SvcProcess(serve, { cwd })
    await svc.serving()
    const { out } = await runSvc(['jobs', 'logs', jobId], { cwd })
    expect(out.split('\n')).toContain('acknowledged')
  },
  PATIENCE_MS,
)
