import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type ControlPlane,
  createControlPlane,
  type JobKind,
  ofLicense,
  PLATFORM,
  readConfig,
} from '@svc/core'
import { JOB_KINDS } from '@svc/core/ports'
import { createApp, type Listening, listen } from '@svc/http'
import { pgliteStorage, TEST_ENVIRONMENT, testPlane } from '@svc/testing'
import { blockOf, readPage, root } from './docs/page.ts'

const PAGE = 'docs/agents.md'

const HANDLERS: Readonly<Record<string, string>> = {
  prune: 'read payload; echo "payload $payload"; echo "on stderr" >&2; echo done',
  remove: 'echo it breaks; exit 7',
  stop: 'echo working; while :; do sleep 0.05; done',
}

/** The agent of the page as a process of its own, and its output. */
class PageAgent {
  readonly child: ChildProcess
  readonly #waiting: { readonly wanted: string; readonly found: () => void }[] = []
  #said = ''

  constructor(file: string, env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [file], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: 'pipe',
    })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        this.#said += `${line}\n`
        for (const { wanted, found } of this.#waiting) if (this.#said.includes(wanted)) found()
      })
    }
  }

  /** Resolves when the agent has printed `wanted`; fails when it ended without. */
  async says(wanted: string): Promise<void> {
    if (this.#said.includes(wanted)) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ wanted, found: resolve })
    this.child.once('exit', (code) => reject(new Error(`the agent ended with ${code}: ${this.#said}`)))
    await promise
  }
}

describe('the agent that docs/agents.md shows', () => {
  let folder: string
  let plane: ControlPlane
  let server: Listening
  let agent: PageAgent
  let licenseId: string

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-page-agent-'))
    mkdirSync(join(folder, 'handlers'))
    for (const [kind, body] of Object.entries(HANDLERS)) {
      writeFileSync(join(folder, 'handlers', kind), `#!/bin/sh\n${body}\n`)
      chmodSync(join(folder, 'handlers', kind), 0o755)
    }
    writeFileSync(join(folder, 'agent.mjs'), blockOf(PAGE, '// agent.mjs'))
    plane = createControlPlane({ config: readConfig(TEST_ENVIRONMENT), storage: await pgliteStorage() })
    server = await listen(createApp(plane), { host: '127.0.0.1', port: 0 })
    const { license, key } = await plane.licenses.issue({})
    licenseId = license.id
    agent = new PageAgent(join(folder, 'agent.mjs'), {
      SERVICE_URL: server.url,
      SERVICE_LICENSE_KEY: key,
      FINGERPRINT: 'page-agent',
      HANDLERS: join(folder, 'handlers'),
    })
  })
  afterEach(async () => {
    agent.child.kill('SIGKILL')
    if (agent.child.exitCode === null && agent.child.signalCode === null) await once(agent.child, 'exit')
    await server.cut()
    await plane.storage[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const enqueue = async (kind: JobKind, payload: object) =>
    (await plane.jobs.enqueue({ licenseId, kind, payload })).job.id
  const logOf = async (id: string) => (await plane.jobs.logs(id, 0, 100)).map(({ line }) => line)

  test('runs jobs to their end with their log and outcome, and drains on SIGTERM', async () => {
    const good = await enqueue('prune', { older_than_seconds: 60 })
    const bad = await enqueue('remove', { app: 'shop' })
    const foreign = await enqueue('firewall', { revision: 1, settings: {} })
    await agent.says(`${foreign} missing`)
    expect(await plane.jobs.get(PLATFORM, good)).toMatchObject({ state: 'succeeded', exitCode: 0 })
    expect((await logOf(good)).sort()).toEqual(['done', 'on stderr', 'payload {"older_than_seconds":60}'])
    expect(await plane.jobs.get(PLATFORM, bad)).toMatchObject({ state: 'failed', exitCode: 7 })
    expect(await plane.jobs.get(PLATFORM, foreign)).toMatchObject({
      state: 'failed',
      error: 'no handler for firewall',
    })
    const [host] = await plane.agents.servers(licenseId)
    expect(host).toMatchObject({ version: 'example-1', id: 'agt_page-agent' })
    agent.child.kill('SIGTERM')
    expect((await once(agent.child, 'exit'))[0]).toBe(0)
  })

  test('ends cancelled work and says so; gives work back at the second signal', async () => {
    const cancelled = await enqueue('stop', { app: 'shop' })
    await agent.says(`${cancelled} claimed`)
    await plane.jobs.cancel(ofLicense(licenseId), {
      jobId: cancelled,
      fingerprint: undefined,
      reason: 'test',
    })
    await agent.says(`${cancelled} cancelled`)
    expect(await plane.jobs.get(PLATFORM, cancelled)).toMatchObject({ state: 'failed', error: 'cancelled' })
    const back = await enqueue('stop', { app: 'shop' })
    await agent.says(`${back} claimed`)
    agent.child.kill('SIGTERM')
    await agent.says('draining')
    agent.child.kill('SIGTERM')
    await once(agent.child, 'exit')
    expect(await plane.jobs.get(PLATFORM, back)).toMatchObject({ state: 'pending', lost: 0 })
  })
})

describe('the payloads that docs/agents.md shows', () => {
  const { prose } = readPage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
  const shown = prose.flatMap((line) => {
    const [, kind = '', payload = ''] = /^\| `(\w+)` \| `(\{.*\})` \|/.exec(line) ?? []
    return kind === '' ? [] : [{ kind: kind as JobKind, payload }]
  })

  test('are one for each kind of job, and each is taken', async () => {
    expect(new Set(shown.map(({ kind }) => kind))).toEqual(new Set(JOB_KINDS))
    await using faked = testPlane()
    const { id } = await faked.license()
    for (const { kind, payload } of shown) {
      const { job } = await faked.plane.jobs.enqueue({ licenseId: id, kind, payload: JSON.parse(payload) })
      expect(job).toMatchObject({ kind, state: 'pending' })
    }
  })
})

describe('the units of systemd that docs/agents.md shows', () => {
  test.each([
    'svc-agent.service',
    'svc-agent.service.d/handler-user.conf',
    'svc-agent.service.d/firewall.conf',
  ])('are those that ship: %s', (path) => {
    const file = readFileSync(join(root, 'packages/cli/systemd', basename(path)), 'utf8')
    const shown = blockOf(PAGE, `# /etc/systemd/system/${path}\n`)
    expect(`${shown}\n`).toBe(file)
  })
})
