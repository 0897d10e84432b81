import type { Answer, ProblemCode } from '@svc/core'
import { Problem } from '@svc/core/client'
import { FAILURES, type Method } from '@svc/http'
import { ROUTES } from '@svc/http/routes'
import type { Connection } from './connect.ts'
import { askPlane } from './plane-request.ts'
import { textsOf } from './problem-of.ts'

type Input = Readonly<Record<string, unknown>>

/** A request of a license: with a body it is a POST. */
interface LicensedRequest {
  readonly method: Method
  readonly path: string
  readonly body?: object
}

/** The operations that a license key alone may run over the network, and the requests that run them. */
const REQUESTS: ReadonlyMap<string, (input: Input) => LicensedRequest> = new Map(
  ROUTES.flatMap(({ method, path, operations = {} }) =>
    Object.entries(operations).map(([name, fixed]) => [
      name,
      // The key says which license: naming another beside it changes nothing.
      ({ license: _, ...input }: Input) => requestOf(method, path, { ...input, ...fixed }),
    ]),
  ),
)

function requestOf(method: Method, template: string, input: Input): LicensedRequest {
  const rest = new Map(Object.entries(input))
  const path = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest.get(name)))
    rest.delete(name)
    return value
  })
  if (method === 'POST') return { method, path, body: Object.fromEntries(rest) }
  const query = new URLSearchParams([...rest].map(([name, value]): [string, string] => [name, String(value)]))
  return { method, path: query.size === 0 ? path : `${path}?${query}` }
}

/** Runs the licensed operations that are mounted on routes, over the network with a license key. */
export function fleetClient(url: string, licenseKey: string | undefined): Connection {
  const run = async (name: string, input: Input): Promise<Answer> => {
    const request = REQUESTS.get(name)
    if (request === undefined) throw notOverNetwork(name)
    if (licenseKey === undefined) {
      throw new Problem('unauthorized', {
        detail: `you are not signed in: svc login --url ${new URL(url).origin}, or give an API token (SERVICE_TOKEN in the environment) or a license key (--key-file FILE, or SERVICE_LICENSE_KEY in the environment)`,
      })
    }
    const headers = { authorization: `Bearer ${licenseKey}` }
    const { status, body } = await askPlane({ url }, { ...request(input), headers })
    if ((status === 200 || status === 201) && body !== undefined) return body
    throw refusal(status, url, body)
  }
  return { run, [Symbol.asyncDispose]: async () => {} }
}

/** Refusals that routes of licenses have in common with operations, by status and text. */
const CODES: ReadonlyMap<string, ProblemCode> = new Map(
  (
    [
      'agent-not-owned',
      'hook-not-found',
      'too-many-hooks',
      'public-url-not-configured',
      'secrets-not-configured',
      'ambiguous',
    ] as const
  ).map((code) => [`${FAILURES[code].status} ${FAILURES[code].error}`, code]),
)

/** The name of an operation as a command spells it: `email-domains.rotate-dkim` in three words. */
function inWords(name: string): string {
  const [noun = '', ...verb] = name.split('.')
  return [...noun.split('-'), ...verb].join(' ')
}

const notOverNetwork = (name: string): Problem =>
  new Problem('forbidden', {
    detail: `${inWords(name)} needs a session: svc login first, or run it where the service runs, with DATABASE_URL set or --data-dir of its folder`,
  })

function refusal(status: number, url: string, body: Answer | undefined): Problem {
  const { origin } = new URL(url)
  const details = Array.isArray(body?.details) ? textsOf(body.details) : undefined
  if (status === 400 && details !== undefined) return new Problem('invalid-input', { details })
  if (status === 404 && body?.error === 'not found') return new Problem('not-found')
  const code = CODES.get(`${status} ${body?.error}`)
  if (code !== undefined) return new Problem(code)
  if (status === 401 || status === 403) return new Problem('unauthorized')
  if (status === 429 || status >= 500) {
    return new Problem('unavailable', { detail: `${origin} answered ${status}: try again later` })
  }
  return new Problem('unavailable', {
    detail: `${origin} answered ${status}, which no control plane does here: check the address`,
  })
}
