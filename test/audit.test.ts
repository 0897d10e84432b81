import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { root } from './docs/page.ts'

const SCRIPT = join(root, 'scripts/audit.ts')
/** A dependency of the packages that ship, and one of development only, both in this checkout. */
const SHIPPED = { name: 'minisearch', version: '7.2.0' }
const TOOL = { name: 'fast-check', version: '4.10.2' }

type Severity = 'moderate' | 'high' | 'critical'

describe('npm run audit', () => {
  let registry: Server
  let folder: string
  let asked: string[]
  /** The registry's answer about known holes: a status, or severities by package. */
  let answer: number | Readonly<Record<string, Severity>>

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-audit-'))
    asked = []
    registry = createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      response.setHeader('content-type', 'application/json')
      if (request.method === 'GET') {
        const { name, version } = [SHIPPED, TOOL].find((each) => request.url === `/${each.name}`) ?? SHIPPED
        response.end(JSON.stringify({ name, 'dist-tags': {}, versions: { [version]: { name, version } } }))
        return
      }
      asked = Object.keys(JSON.parse(gunzipSync(Buffer.concat(parts)).toString()) as object)
      if (typeof answer === 'number') response.writeHead(answer).end('{}')
      else response.end(JSON.stringify(Object.fromEntries(Object.entries(answer).map(advisory))))
    }).listen(0, '127.0.0.1')
    await once(registry, 'listening')
  })
  afterEach(() => {
    registry.closeAllConnections()
    registry.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const advisory = ([name, severity]: [string, Severity], index: number) => [
    name,
    [
      {
        id: index + 1,
        url: `https://holes.example/${index}`,
        title: `a hole of ${name}`,
        severity,
        vulnerable_versions: '*',
        cwe: [],
        cvss: { score: 0, vectorString: null },
      },
    ],
  ]

  async function audited(...more: readonly string[]): Promise<{ code: number | null; said: string }> {
    const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`
    const args = [SCRIPT, '--registry', url, '--cache', folder, ...more]
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { cwd: root })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.stderr.resume()
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, said }
  }

  test('ends with 0 when the registry knows of no hole', async () => {
    answer = {}
    expect(await audited()).toEqual({
      code: 0,
      said: 'no known hole of severity high or critical in what ships\n',
    })
    expect(asked).toContain(SHIPPED.name)
  }, 30_000)

  test.each(['high', 'critical'] as const)(
    'ends with 1 for a hole of severity %s, and names it',
    async (severity) => {
      answer = { [SHIPPED.name]: severity }
      expect(await audited()).toEqual({
        code: 1,
        said: `${severity}: ${SHIPPED.name}: a hole of ${SHIPPED.name} https://holes.example/0\n`,
      })
    },
    30_000,
  )

  test('ends with 0 for a lesser hole, and for one in what does not ship', async () => {
    answer = { [SHIPPED.name]: 'moderate', [TOOL.name]: 'critical' }
    expect((await audited()).code).toBe(0)
  }, 30_000)

  test.each([404, 405, 503])(
    'says that nothing was checked when the registry answers %i',
    async (status) => {
      answer = status
      const { code, said } = await audited()
      expect([code, said]).toEqual([
        0,
        expect.stringMatching(/^the registry offers no audit: dependencies are not checked here \(.+\)\n$/),
      ])
    },
    30_000,
  )

  test('says the same when nobody answers, and fails when npm cannot audit', async () => {
    answer = {}
    const absent = await audited('--registry', 'http://127.0.0.1:1/')
    expect([absent.code, absent.said]).toEqual([0, expect.stringMatching(/^the registry offers no audit: /)])
    const broken = await audited('--prefix', folder)
    expect([broken.code, broken.said]).toEqual([
      1,
      expect.stringMatching(/^npm audit (?:failed|has printed)/),
    ])
  }, 30_000)
})
