import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createControlPlane, type RateVerdict, readConfig } from '@svc/core'
import { secretDigest } from '@svc/core/ports'
import { memoryStorage } from '@svc/testing'
import { Batch } from '../../../packages/core/src/platform/database/batch.ts'
import { heartbeats } from '../../../packages/core/src/work/agents/agents-store-sql.ts'
import { hotJsonBody } from '../../../packages/http/src/exchange/body/json-body.ts'
import { parseJson } from '../../../packages/http/src/exchange/body/json-text.ts'
import { bearerOf } from '../../../packages/http/src/gates/bearer.ts'
import { HttpMetrics } from '../../../packages/http/src/observe/http-metrics.ts'
import { RequestIds } from '../../../packages/http/src/observe/request-log.ts'
import { beatOf, heartbeatBody, telemetryRoutes } from '../../../packages/http/src/routes/telemetry.ts'
import { type Fleet, licenseId, licenseKey } from '../fleet.ts'
import type { StartPart } from '../part.ts'
import { answerJson, bodyOf, serving } from './bare-http.ts'
import { bareLanes } from './bare-lanes.ts'

/**
 * Options of the part. The licenses of the fleet are known beforehand; without `databaseUrl` (of a migrated
 * database), no host is stored.
 */
export interface BareContractOptions {
  readonly fleet: Fleet
  readonly databaseUrl?: string
}

type Asked = Parameters<typeof heartbeats>[0][number]
type Outcome = Awaited<ReturnType<typeof heartbeats>>[number]

const PATH = '/v1/telemetry/heartbeat'

/** The limit of heartbeats, per license. */
const HEARTBEATS = { name: 'heartbeat', limit: 30, windowSeconds: 60 }

/**
 * Takes the steps that the contract of a heartbeat requires, one after the other in the handler of
 * `node:http`, each by the product's code: the digest of the key and its license, the rate limit, the depth
 * and fields of the body, four headers, the metric. Nothing else is there: no routes, gates, draining or log,
 * and one refusal only.
 */
export const start: StartPart<BareContractOptions> = async ({ fleet, databaseUrl }) => {
  const ids = new RequestIds()
  const plane = createControlPlane({
    config: readConfig({ NODE_ENV: 'production' }),
    storage: memoryStorage(),
  })
  const metrics = new HttpMetrics(plane, telemetryRoutes)
  const body = hotJsonBody(heartbeatBody)
  const licenses = new Map(
    Array.from({ length: fleet.licenses }, (_, number) => [
      secretDigest(licenseKey(number)),
      licenseId(number),
    ]),
  )
  const lanes = databaseUrl === undefined ? undefined : bareLanes(databaseUrl)
  const batch =
    lanes &&
    new Batch<Asked, Outcome>({
      run: (asked) => heartbeats(asked, lanes.rows),
      mayFlushEarly: () => true,
    })
  const taken = async (request: IncomingMessage, text: string): Promise<boolean> => {
    const keyDigest = secretDigest(bearerOf(request.rawHeaders) ?? '')
    const license = licenses.get(keyDigest)
    if (license === undefined || !(plane.limits.takeByLicense(HEARTBEATS, license) as RateVerdict).allowed)
      return false
    const write = beatOf({ licenseId: license, keyDigest }, body.accept(parseJson(text)))
    return batch === undefined || (await batch.add({ write, now: undefined })) !== undefined
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const begun = performance.now()
    const status = (await taken(request, await bodyOf(request))) ? 200 : 401
    const headers = { 'Cache-Control': 'no-store', 'Svc-Request-Id': ids.next() }
    answerJson(response, status, { ack: true, next_interval: 60 }, headers)
    const seconds = (performance.now() - begun) / 1000
    metrics.answered({ method: request.method ?? '', route: PATH, status, seconds })
  }
  const server = createServer((request, response) => void answer(request, response))
  return serving(server, async () => lanes?.close())
}
