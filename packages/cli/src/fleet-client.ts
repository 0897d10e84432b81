import { type Answer, Problem } from '@svc/core'
import type { Connection } from './connect.ts'
import { exchange } from './exchange.ts'

/** The operations that a license key alone may do over the network, and their routes. */
const ROUTES: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => string>> = {
  'fleet.servers': () => '/v1/fleet/servers',
  'fleet.backups': ({ host }) =>
    host === undefined ? '/v1/fleet/backups' : `/v1/fleet/backups?host=${encodeURIComponent(String(host))}`,
}

/** Reads the fleet of one license over the network (spec, GET /v1/fleet/servers). */
export function fleetClient(url: string, licenseKey: string | undefined): Connection {
  const run = async (name: string, input: Readonly<Record<string, unknown>>): Promise<Answer> => {
    const route = ROUTES[name]
    if (route === undefined) throw notOverNetwork(name)
    if (licenseKey === undefined) {
      throw new Problem('license-key-required', {
        detail:
          'with --url a license key is needed (--key-file FILE, or SERVICE_LICENSE_KEY in the environment), or a session: svc login',
      })
    }
    const path = route(input)
    const { status, body } = await exchange(
      { url },
      { method: 'GET', path, headers: { authorization: `Bearer ${licenseKey}` } },
    )
    if (status === 200 && body !== undefined) return body
    throw refusal(status, url)
  }
  return { run, [Symbol.asyncDispose]: async () => {} }
}

const notOverNetwork = (name: string): Problem =>
  new Problem('forbidden', {
    detail: `${name.replace('.', ' ')} needs a session: svc login --url first, or run it where the service runs, with DATABASE_URL set or --data-dir of its folder`,
  })

function refusal(status: number, url: string): Problem {
  const { origin } = new URL(url)
  if (status === 401 || status === 403) return new Problem('unauthorized')
  if (status === 429 || status >= 500) {
    return new Problem('unavailable', { detail: `${origin} answered ${status}: try again later` })
  }
  return new Problem('unavailable', {
    detail: `${origin} answered ${status}, which no control plane does here: check the address`,
  })
}
