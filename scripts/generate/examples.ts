import type { ControlPlane } from '@svc/core'
import type { Example, Examples } from '@svc/http'
import { memoryGlass } from '../../packages/http/test/authorization/contents.ts'
import { SECRETS } from '../../packages/http/test/authorization/secrets.ts'
import { stagedWorld, type World } from '../../packages/http/test/authorization/world.ts'
import type { Sent } from '../../test/support/exchange.ts'
import { OPERATION_ENTRIES, ROUTE_ENTRIES, type RouteEntry } from '../../test/support/features.ts'
import { type Mounted, mounted } from '../../test/support/mounted.ts'
import { unlimited } from '../../test/support/unlimited.ts'
import { shown } from './shown-examples.ts'

/**
 * Runs every route and operation against planes in memory, with clocks and ids that are the same in every
 * run, and returns the requests that succeeded with their answers: an agent's loop, then the good requests
 * of the access tests.
 */
export async function recordedExamples(): Promise<Examples> {
  const recorded = { ...(await ofRoutes()), ...(await ofOperations()), ...(await ofAgent()) }
  const good = Object.entries(recorded).filter(([, { status }]) => status < 300)
  return Object.fromEntries(good.map(([name, example]) => [name, shown(example)]))
}

type Headers = Sent['headers']

async function recorded(
  { send }: Pick<Mounted, 'send'>,
  method: string,
  path: string,
  headers: Headers,
  request?: object,
): Promise<Example> {
  const sent = { 'content-type': 'application/json', ...headers }
  const body = request === undefined ? undefined : JSON.stringify(request)
  const { status, body: answer } = await send({ method, path, headers: sent, body })
  return { status, ...(request && { request }), ...(answer !== undefined && { answer }) }
}

async function ofRoutes(): Promise<Examples> {
  await using world = await stagedWorld(memoryGlass, { rateCounter: unlimited })
  const examples: Record<string, Example> = {}
  for (const [name, entry] of Object.entries(ROUTE_ENTRIES)) {
    const [method = '', path = ''] = name.split(' ')
    const { id = '', query = '' } = entry.path?.(world) ?? {}
    const address = path.replace(/\{[^}]+\}/, id) + query
    const headers = await credentialFor(entry, world)
    if (path !== OPERATION_PATH)
      examples[name] = await recorded(world, method, address, headers, entry.body?.(world))
  }
  return examples
}

const OPERATION_PATH = '/api/v1/operations/{name}'

const bearer = (secret: string): Headers => ({ authorization: `Bearer ${secret}` })

/** Returns a credential that the gate of a route takes. A session is a new one: some requests end theirs. */
async function credentialFor({ asks }: RouteEntry, { own, plane, people }: World): Promise<Headers> {
  if (asks.includes('license')) return bearer(own.key)
  for (const name of ['cron', 'worker', 'metrics', 'browser'] as const)
    if (asks.includes(`${name} `)) return bearer(SECRETS[name])
  return { cookie: (await plane.sessions.mint(people.admin)).cookie }
}

async function ofOperations(): Promise<Examples> {
  await using world = await stagedWorld(memoryGlass, { rateCounter: unlimited })
  const examples: Record<string, Example> = {}
  const confirmation = { current: SECRETS.password }
  for (const [name, { input, confirmed }] of Object.entries(OPERATION_ENTRIES)) {
    const request = confirmed ? { ...input(world), confirmation } : input(world)
    const path = OPERATION_PATH.replace('{name}', name)
    examples[name] = await recorded(world, 'POST', path, { cookie: world.cookies.admin }, request)
  }
  return examples
}

const FINGERPRINT = '9f2c41d07ab36e58'
const ATTEMPT = 1

/** The loop of an agent: it activates its license, beats, and takes a job to its end. */
async function ofAgent(): Promise<Examples> {
  await using host = await mounted(undefined, { env: { SERVICE_PUBLIC_URL: 'https://svc.example.com' } })
  const { plane, clock, key } = host
  const job = await deployment(plane, host.licenseId)
  const examples: Record<string, Example> = {}
  const step = async (name: string, request: object, id = '') => {
    const [method = '', path = ''] = name.split(' ')
    clock.advance({ seconds: 2 })
    const body = { fingerprint: FINGERPRINT, ...request }
    examples[name] = await recorded(host, method, path.replace('{id}', id), bearer(key), body)
  }
  const now = () => Math.floor(clock.now().getTime() / 1000)
  await step('POST /v1/license/activate', { key })
  await step('POST /v1/jobs/claim', {})
  await step('POST /v1/telemetry/heartbeat', {
    hostname: 'web-1',
    version: '2.4.0',
    state: 'busy',
    cpu_pct: 3.2,
    mem_pct: 41,
    disk_pct: 63.5,
    disk_total_gb: 80,
    backup_health: { last_capture_at: now(), success: true },
    boot_id: '5a3e0b52-7c1d-4b6e-9d0f-2f8f6a1c9e47',
    jobs: [{ id: job, attempt: ATTEMPT }],
  })
  const lines = ['git clone https://git.example.com/acme/shop.git', 'npm ci', 'healthy after 1.2 s']
  await step(
    'POST /v1/jobs/{id}/logs',
    { attempt: ATTEMPT, offset: 0, lines: lines.map((line) => ({ ts: now(), line })) },
    job,
  )
  await step('POST /v1/jobs/{id}/status', { attempt: ATTEMPT, state: 'succeeded', exit_code: 0 }, job)
  return examples
}

async function deployment(plane: ControlPlane, license: string): Promise<string> {
  const source = {
    type: 'git',
    repo_url: 'https://git.example.com/acme/shop.git',
    sha: '3f9c2b7'.padEnd(40, '0'),
  }
  const payload = { app: 'shop', source }
  const { job } = await plane.operations.run('jobs.enqueue', { kind: 'deploy', license, payload }, 'ada')
  return job.id
}
