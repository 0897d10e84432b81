import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SvcProcess } from '../packages/cli/test/support/svc-process.ts'
import { readPage, root } from './docs/page.ts'
import { Reader } from './docs/reader.ts'
import { type LoopbackDns, loopbackDns } from './support/dns-server.ts'

const PAGE = 'docs/surface.md'
const FIVE_MINUTES_MS = 300_000
const { blocks } = readPage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
const [add = '', verify = '', scan = ''] = blocks
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text)

let reader: Reader
let dns: LoopbackDns
let service: SvcProcess
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  reader = new Reader('surface')
  dns = await loopbackDns()
  env = {
    ATTACK_SURFACE_DNS_SERVERS: dns.server,
    // Nothing listens there: no walk leaves the machine.
    CT_URL: 'http://127.0.0.1:9/?q={domain}',
  }
  const args = ['serve', '--port', '0', '--data-dir', '.svc', '--tick', '5']
  service = new SvcProcess(args, { cwd: reader.folder, env })
  await service.serving()
}, FIVE_MINUTES_MS)
afterAll(async () => {
  service.kill('SIGTERM')
  await service.end()
  await Promise.all([service, dns].map((each) => each[Symbol.asyncDispose]()))
  reader[Symbol.dispose]()
})

const run = (text: string) => reader.try(text, env)

test(
  'The page leads from a domain to its scan, and each step says what the page says',
  async () => {
    await reader.follow('svc licenses issue --label acme', env)
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
