import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { certify, makeAuthority } from '../../../../test/support/certificate-authority.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'
import { TlsPostgres } from '../support/tls-postgres.ts'

const PATIENCE_MS = 120_000
const SERVE = ['serve', '--port', '0', '--migrate']

let cwd: string
let postgres: TlsPostgres

beforeAll(async () => {
  postgres = await TlsPostgres.open()
}, PATIENCE_MS)
afterAll(() => postgres[Symbol.asyncDispose]())

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

/** Uses every kind of connection that a service has: probe, lanes and pool. Their statuses. */
async function used(url: string): Promise<readonly number[]> {
  const headers = {
    authorization: 'Bearer some-key-of-a-host',
    'content-type': 'application/json',
    connection: 'close',
  }
  const body = JSON.stringify({ fingerprint: 'f'.repeat(40), hostname: 'h' })
  const answers = [
    await fetch(`${url}/healthz`, { headers }),
    await fetch(`${url}/v1/telemetry/heartbeat`, { method: 'POST', headers, body }),
    await fetch(`${url}/api/v1/fleet/servers`, { headers }),
  ]
  await Promise.all(answers.map((answer) => answer.text()))
  return answers.map(({ status }) => status)
}

const ALL_WELL = [200, 200, 200]
const DOWN = [503, 503, 503]
const LOOK_MS = 100

/** Uses them until all answer with `wanted`; the test's own time limit bounds it. */
async function until(url: string, wanted: readonly number[]): Promise<void> {
  for (;;) {
    const statuses = await used(url)
    if (`${statuses}` === `${wanted}`) return
    await pause(LOOK_MS)
  }
}

/** Puts a file in the place of another in one step, as agents of vaults do. */
async function replace(path: string, contents: string): Promise<void> {
  await writeFile(`${path}.new`, contents, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

interface Way {
  readonly ssl: boolean
  readonly version: string
}

const ofRole = (role: string) =>
  postgres.rows<Way>(
    `select ssl, version from pg_stat_ssl join pg_stat_activity using (pid) where usename = '${role}'`,
  )

describe('The way to a database with sslmode=verify-full', () => {
  const verified = () => ({ sslmode: 'verify-full', sslrootcert: postgres.authority.cert })

  test('Is TLS for every connection: migration, pool, lanes and probe', async () => {
    const url = await postgres.database('over_tls', verified())
    const env = { DATABASE_URL: url.href, DATABASE_PASSWORD: 'over_tls-one' }
    await using svc = new SvcProcess(SERVE, { cwd, env })
    const address = await svc.serving()
    expect(await used(address)).toEqual(ALL_WELL)
    const ways = await ofRole('over_tls')
    expect(ways.length).toBeGreaterThanOrEqual(3)
    for (const { ssl, version } of ways) expect([ssl, version]).toEqual([true, 'TLSv1.3'])
    const listed = await runSvc(['tenants', 'list'], { cwd, env })
    expect(listed.code).toBe(0)
  }, 60_000)

  test('Is refused for the certificate of another authority or for another host, also where the environment turns the check off', async () => {
    const url = await postgres.database('over_tls', verified())
    const other = await makeAuthority(cwd, 'other')
    const distrusted = new URL(url)
    distrusted.searchParams.set('sslrootcert', other.cert)
    const elsewhere = new URL(url)
    elsewhere.hostname = '127.0.0.1'
    for (const NODE_TLS_REJECT_UNAUTHORIZED of ['1', '0']) {
      for (const wrong of [distrusted, elsewhere]) {
        const env = {
          DATABASE_URL: wrong.href,
          DATABASE_PASSWORD: 'over_tls-one',
          NODE_TLS_REJECT_UNAUTHORIZED,
        }
        const { code, err } = await runSvc(['migrate'], { cwd, env })
        expect([code, err]).toEqual([
          3,
          expect.stringContaining('the certificate of the database is not trusted'),
        ])
        expect(err).not.toContain('over_tls-one')
      }
    }
  }, 60_000)

  test('Is refused by the service when the database offers no TLS', async () => {
    const url = await postgres.database('anyhow', verified())
    await postgres.turnTls('off')
    try {
      const env = { DATABASE_URL: url.href, DATABASE_PASSWORD: 'anyhow-one' }
      const { code, err } = await runSvc(['migrate'], { cwd, env })
      expect([code, err]).toEqual([3, expect.stringContaining('the database offers no TLS')])
    } finally {
      await postgres.turnTls('on')
    }
  }, 60_000)
})

describe('A client certificate', () => {
  test('Is enough to sign in, and is read anew for each connection', async () => {
    const { cert, key } = await certify(cwd, postgres.authority, 'by_certificate')
    const url = await postgres.database('by_certificate', {
      sslmode: 'verify-full',
      sslrootcert: postgres.authority.cert,
      sslcert: cert,
      sslkey: key,
    })
    await using svc = new SvcProcess(SERVE, { cwd, env: { DATABASE_URL: url.href } })
    const address = await svc.serving()
    expect(await used(address)).toEqual(ALL_WELL)

    const other = await makeAuthority(cwd, 'other')
    await certify(cwd, other, 'by_certificate')
    await postgres.disconnect('by_certificate')
    await until(address, DOWN)
    await certify(cwd, postgres.authority, 'by_certificate')
    await until(address, ALL_WELL)
  }, 60_000)
})

describe('A password in DATABASE_PASSWORD_FILE', () => {
  test('Is read anew for each connection, so that it may change while the service runs', async () => {
    const url = await postgres.database('anyhow', {})
    await postgres.rows("alter role anyhow password 'anyhow-one'")
    const file = join(cwd, 'password')
    await replace(file, 'anyhow-one\n')
    const env = { DATABASE_URL: url.href, DATABASE_PASSWORD_FILE: file, SERVICE_LOG_LEVEL: 'trace' }
    await using svc = new SvcProcess(SERVE, { cwd, env })
    const address = await svc.serving()
    expect(await used(address)).toEqual(ALL_WELL)

    await postgres.rows("alter role anyhow password 'anyhow-two'")
    expect(await used(address)).toEqual(ALL_WELL)
    await postgres.disconnect('anyhow')
    await until(address, DOWN)
    await replace(file, 'anyhow-two\n')
    await until(address, ALL_WELL)

    await rm(file)
    await postgres.disconnect('anyhow')
    await until(address, DOWN)
    await replace(file, 'anyhow-two\n')
    await until(address, ALL_WELL)
    svc.kill('SIGTERM')
    expect(await svc.end()).toBe(0)
    expect(svc.err.text).toContain('"DATABASE_PASSWORD":"set (file)"')
    expect(svc.err.text).not.toMatch(/anyhow-(?:one|two)/)
  }, 60_000)

  test('Serves commands and doctor alike, which say where it comes from', async () => {
    const url = await postgres.database('anyhow', {})
    await postgres.rows("alter role anyhow password 'anyhow-two'")
    const [file, address] = [join(cwd, 'password'), join(cwd, 'address')]
    await replace(file, 'anyhow-two')
    await replace(address, url.href)
    const env = {
      DATABASE_URL_FILE: address,
      DATABASE_PASSWORD_FILE: file,
      MONITOR_DNS_SERVERS: '127.0.0.1:9',
    }
    expect((await runSvc(['migrate'], { cwd, env })).code).toBe(0)
    expect((await runSvc(['tenants', 'list'], { cwd, env })).code).toBe(0)
    const doctor = await runSvc(['doctor', '--local'], { cwd, env })
    expect(doctor.out).toMatch(/✓ +database +ok/)
    expect(doctor.err).toContain('DATABASE_URL is set (file)\nDATABASE_PASSWORD is set (file)\n')
    await writeFile(file, 'wrong')
    const refused = await runSvc(['tenants', 'list'], { cwd, env })
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining('the database refuses the password'),
    ])
    await rm(file)
    const absent = await runSvc(['serve'], { cwd, env })
    expect([absent.code, absent.err]).toEqual([
      2,
      expect.stringContaining(`DATABASE_PASSWORD_FILE names ${file}, which cannot be read (ENOENT)`),
    ])
  }, 60_000)
})
