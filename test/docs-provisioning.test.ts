import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newDataKey, systemClock } from '@svc/core'
import { type FakeServer, HetznerFake, type TestDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'
import { parse } from 'yaml'
import { jsonHere } from '../packages/cli/test/support/svc-here.ts'
import { SvcProcess } from '../packages/cli/test/support/svc-process.ts'
import { readPage, root } from './docs/page.ts'
import { Reader } from './docs/reader.ts'
import { shellSuite } from './docs/shell-suite.ts'
import { freePort } from './support/free-port.ts'
import { type ProviderServer, serveProvider } from './support/provider-server.ts'

const PAGE = 'docs/provisioning.md'
const { text: page, blocks } = {
  text: readFileSync(join(root, PAGE), 'utf8'),
  ...readPage(PAGE, readFileSync(join(root, PAGE), 'utf8')),
}
const [setUp = '', order = '', call = ''] = blocks
  .filter(({ language }) => language === 'sh')
  .map((each) => each.text)
const [template = ''] = blocks.filter(({ language }) => language === 'yaml').map((each) => each.text)

const TOKEN = 'provider-token-of-the-page-0123456789abcdef'
const WORKER = 'worker-secret-of-the-page-0123456789abcdef'
/** Calls of the worker, a quarter of a second apart, until an order has come to a state. */
const CALLS = 240
const CALL_MS = 250

const reader = new Reader('provisioning')
const { folder } = reader
let database: TestDatabase
let provider: ProviderServer
const fake = new HetznerFake(systemClock)
const hosts: ChildProcess[] = []
/** All that programs of operators and hosts have said. */
const said: string[] = []

beforeAll(async () => {
  database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  provider = await serveProvider(fake)
  fake.tokens.set(TOKEN, 'write')
  fake.prices.set('cx22', '4.5101000000000000')
  fake.onCreate = boot
  // The image of the hosts brings the agent along, which keeps its things in the host's own folder.
  reader.command(
    'host/bin/svc',
    `--state-dir ${join(folder, 'host/state')} --handlers ${join(folder, 'host')}`,
  )
})
afterAll(async () => {
  for (const host of hosts)
    if (host.exitCode === null && host.signalCode === null) process.kill(-(host.pid ?? 0), 'SIGKILL')
  await provider[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  reader[Symbol.dispose]()
})

interface CloudConfig {
  readonly write_files: readonly {
    readonly path: string
    readonly permissions: string
    readonly content: string
  }[]
  readonly runcmd: readonly string[]
}

/** Starts a server as cloud-init does: it writes the files of the user data, and runs its commands. */
function boot({ userData }: FakeServer): void {
  const { write_files: files, runcmd } = parse(userData) as CloudConfig
  for (const { path, permissions, content } of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode: Number.parseInt(permissions, 8) })
  }
  const env = { PATH: `${join(folder, 'host/bin')}:${process.env.PATH}`, HOME: join(folder, 'host') }
  const host = spawn('bash', ['-c', runcmd.join('\n')], { cwd: join(folder, 'host'), env, detached: true })
  for (const stream of [host.stdout, host.stderr])
    stream.on('data', (bytes: Buffer) => said.push(bytes.toString()))
  hosts.push(host)
}

/** Returns every row of every table, as text. */
async function dump(): Promise<string> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const named = await client.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    )
    const tables: string[] = []
    for (const { name } of named.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      tables.push(...rows.map(({ row }) => row))
    }
    return tables.join('\n')
  } finally {
    await client.end()
  }
}

shellSuite('servers at hosting providers', () => {
  test('the page can be followed: an order becomes a host by the real agent and ends again, and nothing secret is kept or told', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const places: Readonly<Record<string, string>> = {
      'https://svc.example': url,
      '/etc/svc': join(folder, 'host/etc/svc'),
    }
    const asReader = (text: string) =>
      Object.entries(places).reduce((own, [example, place]) => own.replaceAll(example, place), text)
    const env = {
      DATABASE_URL: database.url,
      SERVICE_DATA_KEYS: newDataKey('k1'),
      SERVICE_PUBLIC_URL: url,
      SERVICE_LOG_LEVEL: 'debug',
      PROVISIONING_LIVE: 'true',
      PROVISIONING_SPEND_CEILING: '50.00 EUR',
      PROVISIONING_TEMPLATE_FILE: join(folder, 'template.yaml'),
      PROVISIONING_WORKER_SECRET: WORKER,
      PROVISIONING_HETZNER_API_BASE: provider.url,
    }
    const run = async (text: string) => {
      const { out, err } = await reader.follow(asReader(text), env)
      said.push(out, err)
      return out
    }
    const spoken = (command: string) => {
      expect(page).toContain(`\`${command}\``)
      return command
    }
    writeFileSync(join(folder, 'template.yaml'), asReader(template))
    await jsonHere(['migrate'], { cwd: folder, env })
    await using service = new SvcProcess(['serve', '--port', String(port), '--tick', '0'], {
      cwd: folder,
      env,
    })
    await service.serving()
    const { key } = await jsonHere<{ key: string }>(['licenses', 'issue'], { cwd: folder, env })
    writeFileSync(join(folder, 'key-file'), `${key}\n`)
    writeFileSync(join(folder, 'token-file'), `${TOKEN}\n`)

    const checked = await run(setUp)
    for (const gate of ['live_opt_in', 'credential', 'catalog', 'template', 'spend_ceiling'])
      expect(checked).toMatch(new RegExp(`${gate} +open`))
    const listed = await run(order)
    const [id = ''] = /pord_[0-9a-z]{26}/.exec(listed) ?? []
    expect(fake.live).toEqual([])

    const until = async (state: string): Promise<void> => {
      for (let made = 0; made < CALLS; made += 1) {
        const { results } = JSON.parse(await run(call)) as { results: { order_id: string; state: string }[] }
        if (results.some((each) => each.order_id === id && each.state === state)) return
        await pause(CALL_MS)
      }
      throw new Error(`the order has not become ${state}: ${await run(`svc provision order show ${id}`)}`)
    }
    await until('waiting_agent')
    const midway = await dump()
    await until('ready')
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${url}/v1/fleet/servers`, { headers })
    const { servers } = (await answer.json()) as { servers: object[] }
    const [server] = fake.live
    const fingerprint = `${server?.labels['svc-nonce']}-${id}`
    expect(servers).toMatchObject([{ id: `agt_${fingerprint.slice(0, 12)}`, state: 'online' }])

    for (const host of hosts) {
      const gone = once(host, 'exit')
      process.kill(-(host.pid ?? 0), 'SIGINT')
      await gone
    }
    const shown = await run(spoken('svc provision order show ORDER').replace('ORDER', id))
    expect(shown).toContain('ready')
    await run(spoken('svc provision reconcile'))
    await run(spoken('svc provision order destroy ORDER --yes').replace('ORDER', id))
    await until('deleted')
    expect([fake.live, fake.count('POST', '/v1/servers')]).toEqual([[], 1])

    const kept = await dump()
    const logs = `${service.out.text}${service.err.text}`
    for (const text of [midway, kept, logs]) expect(text).toContain(id)
    expect(kept).toContain(fingerprint)
    const told = { midway, kept, logs, said: said.join('\n') }
    const secrets = {
      TOKEN,
      WORKER,
      key,
      userData: server?.userData ?? '',
      agentFile: 'SERVICE_LICENSE_KEY=',
    }
    for (const [where, text] of Object.entries(told))
      for (const [what, secret] of Object.entries(secrets)) {
        expect(secret.length).toBeGreaterThan(16)
        expect([where, what, text.includes(secret)]).toEqual([where, what, false])
      }
  }, 240_000)
})
