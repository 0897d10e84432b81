import { type Infer, nullable, optional } from 'superstruct'
import { CREATE_TIMEOUT_MS } from '../../hosts/provisioning/order-timing.ts'
import {
  type ProviderAction,
  ProviderFailure,
  type ProviderServer,
  type ServerPrices,
  type ServerProvider,
  type ServerRequest,
  type ServerSearch,
  type TokenProbe,
} from '../../hosts/provisioning/server-provider.ts'
import { keptText } from '../../hosts/provisioning/steps/step-end.ts'
import { decimalUnits } from '../../kernel/money.ts'
import { anyText, listOf, oneOf, shape } from '../../kernel/validation.ts'
import { type ProviderCallParts, ProviderCalls, type ProviderDialect } from './provider-call-http.ts'
import { addressOf, anything, notOffered, providerId } from './provider-fields.ts'

/** The address of Hetzner's API. */
export const HETZNER_API = 'https://api.hetzner.cloud'

const ORDER = 'svc-order'
const PLANE = 'svc-cp'
const NONCE = 'svc-nonce'

const failed = nullable(shape({ code: anyText(), message: anyText() }))
const action = shape({
  id: providerId(),
  status: oneOf(['running', 'success', 'error']),
  error: optional(failed),
})
const server = shape({
  id: providerId(),
  name: anyText(),
  status: anyText(),
  labels: anything(),
  public_net: shape({
    ipv4: optional(nullable(shape({ ip: anyText() }))),
    ipv6: optional(nullable(shape({ ip: anyText() }))),
  }),
})
const servers = shape({ servers: listOf(server, 1000), meta: optional(anything()) })
const prices = listOf(shape({ location: anyText(), price_monthly: shape({ gross: anyText() }) }), 1000)
const pricing = shape({
  pricing: shape({
    currency: anyText(),
    server_types: listOf(shape({ name: anyText(), prices }), 10_000),
    primary_ips: listOf(shape({ type: anyText(), prices }), 100),
  }),
})

const CODES: Readonly<Record<string, ProviderFailure['kind']>> = {
  unauthorized: 'unauthorized',
  token_readonly: 'unauthorized',
  forbidden: 'unauthorized',
  rate_limit_exceeded: 'rate-limited',
  resource_unavailable: 'no-capacity',
  placement_error: 'no-capacity',
  resource_limit_exceeded: 'refused',
  invalid_input: 'refused',
  invalid_server_type: 'refused',
  uniqueness_error: 'name-taken',
  not_found: 'not-found',
  locked: 'locked',
  protected: 'locked',
  conflict: 'unavailable',
  maintenance: 'unavailable',
  service_error: 'unavailable',
  server_error: 'unavailable',
  timeout: 'unavailable',
  unavailable: 'unavailable',
}

const DIALECT: ProviderDialect = {
  errorOf: (body) => {
    const { error } = (body ?? {}) as { error?: { code?: unknown; message?: unknown } }
    const { code, message } = error ?? {}
    return {
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    }
  },
  kindOf: (code) => CODES[code],
}

/** Servers at Hetzner Cloud. */
export class HetznerProvider implements ServerProvider, TokenProbe {
  readonly #calls: ProviderCalls

  constructor(parts: ProviderCallParts) {
    this.#calls = new ProviderCalls(parts, DIALECT)
  }

  get limitedUntil(): Date | undefined {
    return this.#calls.limitedUntil
  }

  async find(search: ServerSearch): Promise<readonly ProviderServer[]> {
    if ('plane' in search)
      return this.#all(`label_selector=${encodeURIComponent(`${PLANE}==${search.plane}`)}`)
    const labelled = await this.#all(`label_selector=${encodeURIComponent(`${ORDER}==${search.order}`)}`)
    return labelled.length > 0 ? labelled : this.#all(`name=${encodeURIComponent(search.name)}`)
  }

  async create(request: ServerRequest): Promise<{ server: ProviderServer; actionId: string }> {
    const { name, serverType, image, location, sshKeys, labels, userData } = request
    const body = {
      name,
      server_type: serverType,
      image,
      location,
      // Ids are numbers; names are texts.
      ssh_keys: sshKeys.map((key) => (/^\d{1,15}$/.test(key) ? Number(key) : key)),
      labels: { [ORDER]: labels.order, [PLANE]: labels.plane, [NONCE]: labels.nonce },
      user_data: userData,
      start_after_create: true,
    }
    const path = '/v1/servers'
    const made = await this.#calls.send(
      { method: 'POST', path, body, timeoutMs: CREATE_TIMEOUT_MS },
      shape({ server, action }),
    )
    return { server: serverOf(made.server), actionId: String(made.action.id) }
  }

  async getAction(id: string): Promise<ProviderAction> {
    const path = `/v1/actions/${encodeURIComponent(id)}`
    const { action: found } = await this.#calls.send({ method: 'GET', path }, shape({ action }))
    const { status: state, error } = found
    return state === 'error' ? { state, error: keptText(`${error?.code}: ${error?.message}`) } : { state }
  }

  async getServer(id: string): Promise<ProviderServer> {
    const path = `/v1/servers/${encodeURIComponent(id)}`
    return serverOf((await this.#calls.send({ method: 'GET', path }, shape({ server }))).server)
  }

  async delete(id: string): Promise<void> {
    try {
      await this.#calls.tell({ method: 'DELETE', path: `/v1/servers/${encodeURIComponent(id)}` })
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.kind !== 'not-found') throw error
    }
  }

  async prices(wanted: { serverType: string; locations: readonly string[] }): Promise<ServerPrices> {
    const answer = await this.#calls.send({ method: 'GET', path: '/v1/pricing' }, pricing)
    const { currency, server_types: types, primary_ips: addresses } = answer.pricing
    const type = types.find(({ name }) => name === wanted.serverType)
    const ipv4 = addresses.find((each) => each.type === 'ipv4')
    const places = wanted.locations.flatMap((location) => {
      const serverMinor = grossAt(type?.prices, location)
      const address = ipv4 === undefined ? 0 : grossAt(ipv4.prices, location)
      if (serverMinor === undefined || address === undefined) return []
      return [{ location, serverMinor, totalMinor: serverMinor + address }]
    })
    if (places.length === 0) throw notOffered(wanted.locations)
    return { currency, places }
  }

  async probe(): Promise<void> {
    await this.#calls.send({ method: 'GET', path: '/v1/servers?per_page=1' }, servers)
    try {
      // A key without a name is refused as bad input, once the token may write.
      await this.#calls.tell({ method: 'POST', path: '/v1/ssh_keys', body: {} })
    } catch (error) {
      if (error instanceof ProviderFailure && error.kind === 'refused') return
      throw error
    }
    throw new ProviderFailure('protocol', {
      code: 'unexpected_answer',
      detail: 'a key without a name was taken',
    })
  }

  async #all(filter: string): Promise<readonly ProviderServer[]> {
    const found: ProviderServer[] = []
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const path = `/v1/servers?${filter}&per_page=50&page=${page}`
      const answer = await this.#calls.send({ method: 'GET', path }, servers)
      found.push(...answer.servers.map(serverOf))
      if (!hasNextPage(answer.meta)) return found
    }
    throw new ProviderFailure('protocol', { code: 'too_many_pages', detail: 'the list has no end' })
  }
}

const MAX_PAGES = 40

const hasNextPage = (meta: unknown): boolean => {
  const { pagination } = (meta ?? {}) as { pagination?: { next_page?: unknown } }
  return typeof pagination?.next_page === 'number'
}

/** The price at a place; undefined if there is none. */
function grossAt(
  prices: readonly { location: string; price_monthly: { gross: string } }[] | undefined,
  location: string,
): number | undefined {
  const price = prices?.find((each) => each.location === location)
  if (price === undefined) return undefined
  const minor = decimalUnits(price.price_monthly.gross, 2)
  if (minor !== undefined) return minor
  throw new ProviderFailure('protocol', {
    code: 'unexpected_answer',
    detail: 'a price is not a decimal number',
  })
}

function serverOf(given: Infer<typeof server>): ProviderServer {
  const labels = (given.labels ?? {}) as Readonly<Record<string, unknown>>
  const label = (key: string) => (typeof labels[key] === 'string' ? labels[key] : undefined)
  const ours = { order: label(ORDER), plane: label(PLANE), nonce: label(NONCE) }
  return {
    id: String(given.id),
    name: given.name,
    isRunning: given.status === 'running',
    ipv4: addressOf(given.public_net.ipv4?.ip),
    ipv6: addressOf(given.public_net.ipv6?.ip),
    labels: Object.fromEntries(Object.entries(ours).filter(([, value]) => value !== undefined)),
    isBare: false,
  }
}
