import { type Fleet, fingerprint, licenseKey, licenseOf } from '../fleet.ts'

/** The requests of a stream, as data that travels to the process of the load generator. */
export type RequestPlan =
  | { readonly kind: 'heartbeat'; readonly fleet: Fleet; readonly first?: number }
  | { readonly kind: 'claim'; readonly fleet: Fleet; readonly first?: number }
  | {
      readonly kind: 'logs'
      readonly fleet: Fleet
      readonly jobs: readonly { readonly id: string; readonly host: number }[]
      readonly lines: number
    }

/** An endless source of requests, with the status of a good answer. */
export interface RequestSource {
  next(): Buffer
  readonly status: number
  /** Returns the fault in the body of an answer, if there is one; only some answers are checked. */
  wrong(body: string): string | undefined
}

/** Builds the requests of a plan beforehand, so that sending costs only the write. */
export function requestsOf(plan: RequestPlan): RequestSource {
  const requests = buffersOf(plan)
  let next = 0
  return {
    status: plan.kind === 'claim' ? 204 : 200,
    wrong: WRONG[plan.kind],
    next: () => {
      const request = requests[next] as Buffer
      next = (next + 1) % requests.length
      return request
    },
  }
}

function buffersOf(plan: RequestPlan): readonly Buffer[] {
  const { fleet } = plan
  const key = (host: number) => licenseKey(licenseOf(fleet, host))
  if (plan.kind === 'logs') {
    return plan.jobs.map(({ id, host }) => post(`/v1/jobs/${id}/logs`, key(host), logsBody(plan.lines)))
  }
  const [path, body] =
    plan.kind === 'claim'
      ? (['/v1/jobs/claim', claimBody] as const)
      : (['/v1/telemetry/heartbeat', heartbeatBody] as const)
  const { first = 0 } = plan
  return Array.from({ length: fleet.hosts }, (_, at) => {
    const host = first + at
    return post(path, key(host), body(host))
  })
}

function post(path: string, key: string, body: unknown): Buffer {
  const text = JSON.stringify(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}

const claimBody = (host: number) => ({ fingerprint: fingerprint(host) })

const heartbeatBody = (host: number) => ({
  fingerprint: fingerprint(host),
  hostname: `host-${host}.example.com`,
  version: '1.4.2',
  state: 'ok',
  cpu_pct: 12.5 + (host % 50),
  mem_pct: 41.25,
  disk_pct: 63.5,
  disk_total_gb: 480,
  backup_health: { last_capture_at: 1_760_000_000, success: true },
})

const LINE_CHARS = 80

const logsBody = (lines: number) => ({
  lines: Array.from({ length: lines }, (_, line) => ({
    ts: 1_760_000_000 + line / 10,
    line: `#${line} building layer ${line % 7}: done in ${line % 13} s`.padEnd(LINE_CHARS, '.'),
  })),
})

const PARTS_OF_A_TOKEN = 3

const WRONG: Readonly<Record<RequestPlan['kind'], RequestSource['wrong']>> = {
  claim: (body) => (body === '' ? undefined : 'a body where there is no job'),
  heartbeat: (body) => {
    const { ack, refresh } = JSON.parse(body) as { ack?: unknown; refresh?: unknown }
    if (ack !== true) return 'not acknowledged'
    if (refresh === undefined) return undefined
    return String(refresh).split('.').length === PARTS_OF_A_TOKEN ? undefined : 'the refresh is no token'
  },
  logs: (body) =>
    Number((JSON.parse(body) as { accepted?: unknown }).accepted) > 0 ? undefined : 'no line was taken',
}
