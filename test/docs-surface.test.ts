import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SOURCES } from '../packages/cli/test/support/svc-process.ts'
import { readPage, root } from './docs/page.ts'
import { type LoopbackDns, loopbackDns } from './support/dns-server.ts'
import { freePort } from './support/free-port.ts'

const PAGE = 'docs/surface.md'
const FIVE_MINUTES_MS = 300_000
const { blocks } = readPage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
const [add = '', verify = '', scan = ''] = blocks
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text)

let folder: string
let dns: LoopbackDns
let service: ChildProcess

const environment = () => ({
  PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  HOME: folder,
  ATTACK_SURFACE_DNS_SERVERS: dns.server,
  // Nothing listens there: no walk leaves the machine.
  CT_URL: 'http://127.0.0.1:9/?q={domain}',
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-docs-surface-'))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/svc'), `#!/bin/sh\nexec ${process.execPath} ${SOURCES.join(' ')} "$@"\n`)
  chmodSync(join(folder, 'bin/svc'), 0o755)
  dns = await loopbackDns()
  const env = { ...environment(), PORT: String(await freePort()), SERVICE_TICK_SECONDS: '5' }
  service = spawn('svc', ['serve', '--data-dir', '.svc'], { cwd: folder, env })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let said = ''
  for (const stream of [service.stdout, service.stderr])
    stream?.on('data', (bytes: Buffer) => {
      said += bytes.toString()
      if (/ready|listening|serving/i.test(said)) resolve()
    })
  service.once('exit', () => reject(new Error(said)))
  await promise
}, FIVE_MINUTES_MS)
afterAll(async () => {
  if (service?.exitCode === null) {
    const ended = once(service, 'exit')
    service.kill('SIGTERM')
    await ended
  }
  await dns[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function run(text: string): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', text], { cwd: folder, env: environment() }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

test(
  'The page leads from a domain to its scan, and each step says what the page says',
  async () => {
    execFileSync('svc', ['licenses', 'issue', '--label', 'acme'], {
      cwd: folder,
      env: environment(),
      stdio: 'ignore',
    })
    const added = await run(add)
    expect(added.code).toBe(0)
    const [, name = '', value = ''] = /^(\S+)\. IN TXT "([^"]+)"$/m.exec(added.err) ?? []
    expect((await run(verify)).code).toBe(1)
    dns.zone.set(name, { TXT: [{ data: value }] })
    dns.zone.set('shop.example', { A: [{ address: '127.0.0.1' }] })
    const proven = await run(verify)
    expect([proven.code, proven.out]).toEqual([0, expect.stringContaining('proven since')])
    const scanned = await run(scan)
    expect([scanned.code, scanned.out]).toEqual([0, expect.stringMatching(/state +done/)])
    expect(scanned.out).toContain('shop.example: private_address')
    expect(scanned.out).toMatch(/not done +ct: 127\.0\.0\.1/)
    expect((await run('svc surface list')).out).toMatch(/shop\.example +proven +done +none/)
  },
  FIVE_MINUTES_MS,
)
