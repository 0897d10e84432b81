import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Environment, generateSigningKey, newDataKey } from '@svc/core'
import { type Customer, moveIn, PAYMENT_SECRET } from './customer.ts'
import { type Document, Plane, type PlaneParts } from './plane.ts'
import { type Read, readAll } from './reads.ts'
import { doWork, type Jobs, until } from './work.ts'
import type { World } from './world.ts'

/** Everything that a test needs to know of an installation. */
export interface Facts {
  /** Settings of the installation, with its keys, but for the places of databases and other services. */
  readonly env: Environment
  readonly customer: Customer
  readonly jobs: Jobs
  /** The last answers of the old release. */
  readonly reads: readonly Read[]
  /** The first page of a list, and the next one: its cursor is taken by later releases. */
  readonly pages: readonly [Document, Document]
}

const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const secret = () => randomBytes(32).toString('base64url')

/** Settings of a customer, with keys of its own. A data folder keeps the other two keys itself. */
function newSettings(hasFolder: boolean): Environment {
  const keys = {
    SERVICE_LICENSE_PRIVKEY: generateSigningKey().privateKey,
    SERVICE_DATA_KEYS: newDataKey('k1'),
  }
  return {
    ...(hasFolder ? {} : keys),
    NODE_ENV: 'production',
    SERVICE_PUBLIC_URL: 'https://svc.example',
    SERVICE_TRUSTED_PROXY_HOPS: '0',
    SERVICE_SESSION_SECRET: secret(),
    SERVICE_METRICS_TOKEN: secret(),
    MONITORS_CRON_SECRET: secret(),
    SERVICE_LICENSE_TIERS: 'starter=starter:deploy;pro=business:deploy,db,mcp',
    PAYMENT_WEBHOOK_SECRET: PAYMENT_SECRET,
    PAYMENT_PRICE_PRO: 'price_pro',
    PAYMENT_ACCEPT_TEST_EVENTS: 'true',
    PROVISIONING_LIVE: 'true',
    PROVISIONING_SPEND_CEILING: '50.00 EUR',
    EMAIL_SPF_IPS: '127.0.0.1',
    ATTACK_SURFACE_SECRET: secret(),
  }
}

/** Settings that name files of this checkout. */
export const FILES = { PROVISIONING_TEMPLATE_FILE: own('../../test/support/provisioning-template.yaml') }
/** Arguments of Node.js that let a program name no machine. */
export const NAMED = ['--disable-warning=ExperimentalWarning', '--import', own('named-host.mjs')]
/** The commands of a release that is unpacked. */
export const commandOf = (release: string) => [...NAMED, join(release, 'bundle/bin.js')]
export const agentOf = (release: string) => [...NAMED, join(release, 'agent/svc-agent.mjs')]

interface MakeParts {
  readonly release: string
  readonly world: World
  /** A folder for all that it keeps. */
  readonly cwd: string
  /** The place of its rows: `DATABASE_URL`, or `SERVICE_DATA_DIR`. */
  readonly place: Environment
}

/**
 * Runs an installation of the old release from its first start to its last stop. Leaves `agent`, the state
 * folder of the host's agent, and `facts.json` in `cwd`.
 */
export async function makeInstallation({ release, world, cwd, place }: MakeParts): Promise<Facts> {
  const hasFolder = place.SERVICE_DATA_DIR !== undefined
  const settings = newSettings(hasFolder)
  const env = { ...settings, ...FILES, ...world.env, ...place }
  const program = commandOf(release)
  mkdirSync(cwd, { recursive: true })
  if (hasFolder) await tryOut({ cwd, program, env: { ...place, FIXTURE_HOST: 'desk' } })
  const flags = hasFolder ? [] : ['--migrate']
  await using plane = await Plane.serve({ cwd, env, program }, '--tick', '0', ...flags)
  const customer = await moveIn(plane, world)
  const [stateDir, handlers] = [join(cwd, 'agent'), join(cwd, 'handlers')]
  const agent = {
    program: agentOf(release),
    cwd,
    url: plane.url,
    key: customer.license.key,
    stateDir,
    handlers,
  }
  const jobs = await doWork(plane, customer, agent)
  await lastThings(plane, customer, env)
  const facts = {
    env: settings,
    customer,
    jobs,
    reads: await readAll(plane, customer, jobs),
    pages: await twoPages(plane, customer.token),
  }
  await plane.stop()
  writeFileSync(join(cwd, 'facts.json'), JSON.stringify(facts))
  return facts
}

/** Begins as the first page of the docs does: `svc up`, and the sample application. */
async function tryOut(parts: PlaneParts): Promise<void> {
  await using plane = await Plane.up(parts)
  const welcome = plane.process.out.text
  const [, license = ''] = /--license (\S+)/.exec(welcome) ?? []
  const [, payload = ''] = /--payload '([^']+)'/.exec(welcome) ?? []
  await plane.json([
    'jobs',
    'enqueue',
    'deploy',
    '--license',
    license,
    '--app',
    'hello',
    '--payload',
    payload,
  ])
  const list = () => plane.json<{ jobs: readonly { state: string }[] }>(['jobs', 'list'])
  await until(list, ({ jobs }) => jobs[0]?.state === 'succeeded', 'waited for the sample application')
  plane.process.kill('SIGINT')
  const code = await plane.process.end()
  if (code !== 0) throw new Error(`svc up ended with ${code}: ${plane.process.err.text}`)
}

/** Orders about the hosts, and the tick that lets alerts open and messages go. */
async function lastThings(plane: Plane, { token, license }: Customer, env: Environment): Promise<void> {
  const run = (name: string, input: Document) => plane.operation(token, name, input)
  await run('fleet.label', { host: 'web-1', label: 'Frankfurt, rack 3' })
  await run('fleet.drain', { host: 'web-2' })
  await run('transfer.mint', {
    license: license.id,
    from: 'web-1',
    to: 'web-2',
    pin: '834 019 275',
    max_uses: 3,
  })
  const message = {
    from: 'shop@mail.acme.example',
    to: ['bob@customer.example'],
    subject: 'An invoice',
    text: 'Thanks.',
  }
  const sent = await plane.ask('/api/v1/email/send', {
    body: message,
    headers: { authorization: `Bearer ${license.key}` },
  })
  if (!sent.ok) throw new Error(`the message was not queued: ${sent.status} ${await sent.text()}`)
  const headers = { authorization: `Bearer ${env.MONITORS_CRON_SECRET}` }
  for (let tick = 0; tick < 2; tick += 1) await plane.ask('/api/v1/monitors/run', { method: 'POST', headers })
  const { alerts } = await plane.operation<{ alerts: readonly { id: string; type: string }[] }>(
    token,
    'alerts.list',
  )
  for (const { id, type } of alerts) if (type === 'disk_full') await run('alerts.acknowledge', { ids: [id] })
}

async function twoPages(plane: Plane, token: string): Promise<[Document, Document]> {
  const first = await plane.operation(token, 'jobs.list', { limit: 3 })
  return [first, await plane.operation(token, 'jobs.list', { limit: 3, cursor: first.next_cursor })]
}
