import { type Infer, optional } from 'superstruct'
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
import { decimalUnits } from '../../kernel/money.ts'
import { anyText, finite, flag, listOf, oneOf, shape } from '../../kernel/validation.ts'
import { type ProviderCallParts, ProviderCalls, type ProviderDialect } from './provider-call-http.ts'
import { addressOf, anything, notOffered, providerId } from './provider-fields.ts'

/** The address of DigitalOcean's API. */
export const DIGITALOCEAN_API = 'https://api.digitalocean.com'

// Tags cannot have a value, so that it is a part of their name.
const TAGS = { order: 'svc-order-', plane: 'svc-cp-', nonce: 'svc-nonce-' } as const

const network = shape({ ip_address: anyText(), type: anyText() })
const droplet = shape({
  id: providerId(),
  name: anyText(),
  status: anyText(),
  tags: listOf(anyText(), 1000),
  networks: optional(shape({ v4: optional(listOf(network, 100)), v6: optional(listOf(network, 100)) })),
})
const droplets = shape({ droplets: listOf(droplet, 1000), links: optional(anything()) })
const made = shape({
  droplet,
  links: optional(shape({ actions: optional(listOf(shape({ id: providerId(), rel: anyText() }), 100)) })),
})
const action = shape({ id: providerId(), status: oneOf(['in-progress', 'completed', 'errored']) })
const sizes = shape({
  sizes: listOf(
    shape({ slug: anyText(), available: flag(), price_monthly: finite(), regions: listOf(anyText(), 1000) }),
    1000,
  ),
  links: optional(anything()),
})

const CODES: Readonly<Record<string, ProviderFailure['kind']>> = {
  unauthorized: 'unauthorized',
  forbidden: 'unauthorized',
  too_many_requests: 'rate-limited',
  not_found: 'not-found',
  unprocessable_entity: 'refused',
  bad_request: 'refused',
  conflict: 'unavailable',
  server_error: 'unavailable',
  service_unavailable: 'unavailable',
}

const DIALECT: ProviderDialect = {
  errorOf: (body) => {
    const { id, message } = (body ?? {}) as { id?: unknown; message?: unknown }
    return {
      ...(typeof id === 'string' ? { code: id } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    }
  },
  kindOf: (code) => CODES[code],
}

const STATES = { 'in-progress': 'running', completed: 'success', errored: 'error' } as const
const MAX_PAGES = 40

/** Servers at DigitalOcean. */
export class DigitalOceanProvider implements ServerProvider, TokenProbe {
  readonly #calls: ProviderCalls

  constructor(parts: ProviderCallParts) {
    this.#calls = new ProviderCalls(parts, DIALECT)
  }

  get limitedUntil(): Date | undefined {
    return this.#calls.limitedUntil
  }

  /** Tags are set after a droplet is made, so that one without any is looked for by its name. */
  async find(search: ServerSearch): Promise<readonly ProviderServer[]> {
    if ('plane' in search) return this.#all(`tag_name=${encodeURIComponent(TAGS.plane + search.plane)}`)
    const tagged = await this.#all(`tag_name=${encodeURIComponent(TAGS.order + search.order)}`)
    if (tagged.length > 0) return tagged
    const named = await this.#all(`name=${encodeURIComponent(search.name)}`)
    // Names are not unique: a droplet with other tags is a stranger's, whose name is no conflict.
    return named.filter(({ labels, isBare }) => isBare || labels.order === search.order)
  }

  async create(request: ServerRequest): Promise<{ server: ProviderServer; actionId?: string }> {
    const { name, serverType: size, image, location: region, sshKeys, labels, userData } = request
    const tags = [TAGS.order + labels.order, TAGS.plane + labels.plane, TAGS.nonce + labels.nonce]
    const keys = sshKeys.map((key) => (/^\d{1,15}$/.test(key) ? Number(key) : key))
    const body = { name, region, size, image, ssh_keys: keys, tags, user_data: userData, ipv6: true }
    const path = '/v2/droplets'
    const answer = await this.#calls.send({ method: 'POST', path, body, timeoutMs: CREATE_TIMEOUT_MS }, made)
    const begun = answer.links?.actions?.find(({ rel }) => rel === 'create')
    const server = serverOf(answer.droplet)
    return begun === undefined ? { server } : { server, actionId: String(begun.id) }
  }

  async getAction(id: string): Promise<ProviderAction> {
    const path = `/v2/actions/${encodeURIComponent(id)}`
    const { action: found } = await this.#calls.send({ method: 'GET', path }, shape({ action }))
    const state = STATES[found.status]
    return state === 'error' ? { state, error: 'the droplet could not be made' } : { state }
  }

  async getServer(id: string): Promise<ProviderServer> {
    const path = `/v2/droplets/${encodeURIComponent(id)}`
    return serverOf((await this.#calls.send({ method: 'GET', path }, shape({ droplet }))).droplet)
  }

  async delete(id: string): Promise<void> {
    try {
      await this.#calls.tell({ method: 'DELETE', path: `/v2/droplets/${encodeURIComponent(id)}` })
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.kind !== 'not-found') throw error
    }
  }

  async prices(wanted: { serverType: string; locations: readonly string[] }): Promise<ServerPrices> {
    const answer = await this.#calls.send({ method: 'GET', path: '/v2/sizes?per_page=200' }, sizes)
    const size = answer.sizes.find(({ slug }) => slug === wanted.serverType)
    const offered = wanted.locations.filter((each) => size?.available === true && size.regions.includes(each))
    if (size === undefined || offered.length === 0) throw notOffered(wanted.locations)
    // A number of JSON: its shortest spelling is the one that the provider wrote.
    const minor = decimalUnits(String(size.price_monthly), 2)
    if (minor === undefined)
      throw new ProviderFailure('protocol', { code: 'unexpected_answer', detail: 'a price is not a decimal' })
    const places = offered.map((location) => ({ location, serverMinor: minor, totalMinor: minor }))
    return { currency: 'USD', places }
  }

  async probe(): Promise<void> {
    await this.#calls.send({ method: 'GET', path: '/v2/droplets?per_page=1' }, droplets)
    try {
      await this.#calls.tell({ method: 'POST', path: '/v2/account/keys', body: {} })
    } catch (error) {
      if (error instanceof ProviderFailure && error.kind === 'refused') return
      throw error
    }
    throw new ProviderFailure('protocol', { code: 'unexpected_answer', detail: 'an empty key was taken' })
  }

  async #all(filter: string): Promise<readonly ProviderServer[]> {
    const found: ProviderServer[] = []
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const path = `/v2/droplets?${filter}&per_page=200&page=${page}`
      const answer = await this.#calls.send({ method: 'GET', path }, droplets)
      found.push(...answer.droplets.map(serverOf))
      if (!hasNextPage(answer.links)) return found
    }
    throw new ProviderFailure('protocol', { code: 'too_many_pages', detail: 'the list has no end' })
  }
}

const hasNextPage = (links: unknown): boolean => {
  const { pages } = (links ?? {}) as { pages?: { next?: unknown } }
  return typeof pages?.next === 'string'
}

function serverOf(given: Infer<typeof droplet>): ProviderServer {
  const labels = Object.entries(TAGS).flatMap(([key, prefix]) => {
    const tag = given.tags.find((each) => each.startsWith(prefix))
    return tag === undefined ? [] : [[key, tag.slice(prefix.length)] as const]
  })
  const publicOf = (list: Infer<typeof network>[] | undefined) =>
    addressOf(list?.find(({ type }) => type === 'public')?.ip_address)
  return {
    id: String(given.id),
    name: given.name,
    isRunning: given.status === 'active',
    ipv4: publicOf(given.networks?.v4),
    ipv6: publicOf(given.networks?.v6),
    labels: Object.fromEntries(labels),
    isBare: given.tags.length === 0,
  }
}
