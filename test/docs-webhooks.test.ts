// The receivers of docs/webhooks.md, as they stand there, against a service that sends to them. The receivers
// in Python and Go are run where the languages are.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createOutbound, EVENT_TYPES } from '@svc/core'
import { FakeClock, memoryStorage, type TestPlane, testPlane } from '@svc/testing'
import { ScriptedResolver } from '../packages/core/test/platform/net/scripted-resolver.ts'
import { blockOf, root } from './docs/page.ts'
import { freePort } from './support/free-port.ts'

const PAGE = 'docs/webhooks.md'
const PATIENCE_MS = 120_000
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

interface Receiver {
  readonly file: string
  /** The first line of its block. */
  readonly begins: string
  readonly isThere: boolean
  /** The command that runs it. */
  readonly command: (file: string) => readonly [string, ...string[]]
}

const RECEIVERS: readonly Receiver[] = [
  {
    file: 'receiver.mjs',
    begins: '// receiver.mjs',
    isThere: true,
    command: (file) => [process.execPath, file],
  },
  {
    file: 'receiver.py',
    begins: '# receiver.py',
    isThere: has('python3', '-V'),
    command: (file) => ['python3', file],
  },
  {
    file: 'receiver.go',
    begins: '// receiver.go',
    isThere: has('go', 'version'),
    command: (file) => ['go', 'run', file],
  },
]

const resolver = new ScriptedResolver({ 'hooks.example': [['127.0.0.1']] })

async function listens(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the receiver ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await pause(50)
  }
}

describe('the receivers of the page about webhooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-receivers-'))
  const outbound = createOutbound({ resolver, allow: ['127.0.0.0/8'] })
  const clock = new FakeClock(new Date().toISOString())
  let test: TestPlane
  let licenseId: string

  beforeAll(async () => {
    const storage = memoryStorage(clock)
    test = testPlane({ env: { SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8' }, storage, clock, parts: { outbound } })
    licenseId = (await test.plane.licenses.issue({ tenantId: undefined, label: 'a' })).license.id
  })
  afterAll(async () => {
    await test[Symbol.asyncDispose]()
    await outbound[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = async (name: string, input: object = {}) =>
    await test.plane.operations.runLicensed(licenseId, `webhooks.${name}`, input)

  it.each(RECEIVERS.filter(({ isThere }) => isThere))(
    '$file takes good messages once each, with both secrets of a rotation, and refuses others',
    async ({ file, begins, command }) => {
      const port = await freePort()
      const made = await run('add', { url: `http://hooks.example:${port}/${file}`, events: ['job.*'] })
      const { id } = made.endpoint as { id: string }
      // Beside the sources, so that the official library is found.
      const path = join(
        file.endsWith('.mjs') ? join(root, 'node_modules', '.cache') : folder,
        `${process.pid}-${file}`,
      )
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, blockOf(PAGE, begins))
      const [program, ...args] = command(path)
      const env = { ...process.env, WEBHOOK_SECRET: String(made.secret), PORT: String(port) }
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
      const printed: string[] = []
      createInterface({ input: child.stdout }).on('line', (line) => printed.push(line))
      try {
        await listens(port, child)
        await test.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
        await test.plane.jobs.claim({ licenseId, fingerprint: `of-${file}`, claimKey: undefined })
        await run('rotate', { endpoint: id })
        expect(await run('run', { endpoint_id: id })).toMatchObject({ delivered: 1 })
        const { deliveries } = await run('show', { endpoint: id })
        const [latest] = deliveries as readonly { readonly id: string; readonly message_id: string }[]
        const { id: delivery = '', message_id: message = '' } = latest ?? {}
        await run('replay', { endpoint: id, delivery_id: delivery })
        expect(await run('run', { endpoint_id: id })).toMatchObject({ delivered: 1 })
        expect(printed).toEqual([`job.claimed ${message}`])
        // The receiver has the former secret alone, which signs no more after the grace.
        await run('rotate', { endpoint: id, grace_seconds: 0 })
        await run('rotate', { endpoint: id, grace_seconds: 0 })
        await run('test', { endpoint: id })
        expect(await run('run', { endpoint_id: id })).toMatchObject({ delivered: 0, failed: 1 })
        expect(printed).toHaveLength(1)
      } finally {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
        rmSync(path, { force: true })
      }
    },
    PATIENCE_MS,
  )

  for (const { file, isThere } of RECEIVERS)
    if (!isThere) it.skip(`${file} is not run: its language is not here`, () => {})

  it('every type of event stands on the page', () => {
    const page = readFileSync(join(root, PAGE), 'utf8')
    for (const type of EVENT_TYPES) expect(page).toContain(`\`${type}\``)
  })
})
