import { type Answer, Problem } from '@svc/core'
import type { Connection } from './connect.ts'
import { exchange } from './exchange.ts'
import { textsOf } from './problem-of.ts'

type Input = Readonly<Record<string, unknown>>

/** A request of a license: with a body it is a POST. */
interface LicensedRequest {
  readonly path: string
  readonly body?: object
}

const ALERTS = '/api/v1/fleet/alerts'

// The key says which license: naming another beside it changes nothing.
const alertsPath = ({ license: _, ...filter }: Input): string => {
  const entries = Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)])
  const query = new URLSearchParams(entries)
  return query.size === 0 ? ALERTS : `${ALERTS}?${query}`
}

const acting =
  (action: string) =>
  ({ license: _, ...input }: Input): LicensedRequest => ({ path: ALERTS, body: { ...input, action } })

/** The operations that a license key alone may do over the network, and their routes. */
const ROUTES: Readonly<Record<string, (input: Input) => LicensedRequest>> = {
  'fleet.servers': () => ({ path: '/v1/fleet/servers' }),
  'fleet.backups': ({ host }) => ({
    path:
      host === undefined ? '/v1/fleet/backups' : `/v1/fleet/backups?host=${encodeURIComponent(String(host))}`,
  }),
  'alerts.list': (input) => ({ path: alertsPath(input) }),
  'alerts.ack': acting('ack'),
  'alerts.unack': acting('unack'),
  'alerts.snooze': acting('snooze'),
  'alerts.unsnooze': acting('unsnooze'),
  'alerts.resolve': acting('resolve'),
}

/** Reads the fleet of one license over the network, and acts on its alerts (spec, GET /v1/fleet/servers). */
export function fleetClient(url: string, licenseKey: string | undefined): Connection {
  const run = async (name: string, input: Input): Promise<Answer> => {
    const route = ROUTES[name]
    if (route === undefined) throw notOverNetwork(name)
    if (licenseKey === undefined) {
      throw new Problem('license-key-required', {
        detail:
          'with --url a license key is needed (--key-file FILE, or SERVICE_LICENSE_KEY in the environment), or a session: svc login',
      })
    }
    const request = route(input)
    const method = request.body === undefined ? 'GET' : 'POST'
    const headers = { authorization: `Bearer ${licenseKey}` }
    const { status, body } = await exchange({ url }, { ...request, method, headers })
    if (status === 200 && body !== undefined) return body
    throw refusal(status, url, body)
  }
  return { run, [Symbol.asyncDispose]: async () => {} }
}

const notOverNetwork = (name: string): Problem =>
  new Problem('forbidden', {
    detail: `${name.replace('.', ' ')} needs a session: svc login --url first, or run it where the service runs, with DATABASE_URL set or --data-dir of its folder`,
  })

function refusal(status: number, url: string, body: Answer | undefined): Problem {
  const { origin } = new URL(url)
  const details = Array.isArray(body?.details) ? textsOf(body.details) : undefined
  if (status === 400 && details !== undefined) return new Problem('invalid-input', { details })
  if (status === 404 && body?.error === 'not found') return new Problem('not-found')
  if (status === 401 || status === 403) return new Problem('unauthorized')
  if (status === 429 || status >= 500) {
    return new Problem('unavailable', { detail: `${origin} answered ${status}: try again later` })
  }
  return new Problem('unavailable', {
    detail: `${origin} answered ${status}, which no control plane does here: check the address`,
  })
}
