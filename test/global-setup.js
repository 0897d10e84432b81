// Gives the run one real PostgreSQL: the one of DATABASE_URL, else a throwaway of our own. Suites read
// SVC_TEST_POSTGRES (a URL whose user may create databases) and SVC_TEST_POSTGRES_VERSION (`18.4`, for
// titles), SVC_TEST_PACKED (a folder for `npm run pack`, which the first suite that needs it makes), and
// SVC_TEST_SAMPLE (a number that chooses the samples of this run, from jest.config.js).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { SAMPLES } from './turns.js'

async function versionOf(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  const { rows } = await client.query('show server_version')
  await client.end()
  return rows[0].server_version.split(' ')[0]
}

// In a session of its own: Ctrl-C in a terminal reaches the run alone, and the database stops when the run is
// gone.
async function startOwn() {
  const host = spawn(process.execPath, [fileURLToPath(new URL('postgres-host.js', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  host.stdin.on('error', () => {})
  const [line] = await Promise.race([once(host.stdout, 'data'), once(host, 'exit').then(() => ['{}'])])
  const { url, version, error } = JSON.parse(line)
  if (!url) throw new Error(`The test database did not start. ${error ?? ''}`)
  for (const handle of [host, host.stdin, host.stdout]) handle.unref()
  return { host, url, version }
}

export default async function setup() {
  // Programmes that need the database alone have no configuration of jest.
  process.env.SVC_TEST_SAMPLE ??= String(Math.floor(Math.random() * SAMPLES))
  const given = process.env.DATABASE_URL
  const own = given ? undefined : await startOwn()
  globalThis.__svcTestPostgres = own?.host
  process.env.SVC_TEST_POSTGRES = given ?? own.url
  process.env.SVC_TEST_POSTGRES_VERSION = own?.version ?? (await versionOf(given))
  // Suites run on databases that they make themselves: nothing may find the given one by accident.
  delete process.env.DATABASE_URL
  if (process.env.SVC_TEST_ALL !== '1') {
    const what = "this run's part of the planted faults and of the suites that take turns"
    console.log(`\nSVC_TEST_SAMPLE=${process.env.SVC_TEST_SAMPLE}: ${what}.`)
  }
  process.env.SVC_TEST_PACKED = join(mkdtempSync(join(tmpdir(), 'svc-test-packed-')), 'packed')
}
