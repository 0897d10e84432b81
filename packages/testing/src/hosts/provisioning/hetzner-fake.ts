import {
  type FakeAction,
  type FakeAnswer,
  FakeProvider,
  type FakeRequest,
  type FakeServer,
} from './fake-provider.ts'

import {
  IMAGE,
  IMAGE_ID,
  imageView,
  LOCATIONS,
  locationView,
  pricingView,
  sshKeyView,
  TYPE_ID,
  typeView,
} from './hetzner-goods.ts'

type Body = Readonly<Record<string, unknown>>

const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/

const refusal = (status: number, code: string, message: string, details: Body = {}): FakeAnswer => ({
  status,
  body: { error: { code, message, details } },
})

/** Hetzner Cloud in memory, by its public schema: servers, actions, prices, and the lists of its goods. */
export class HetznerFake extends FakeProvider {
  readonly sshKeys = new Map<string, number>([['ops', 1]])
  #remaining = 3600

  protected admitted(request: FakeRequest): FakeAnswer {
    const right = this.rightOf(request)
    if (right === undefined) return refusal(401, 'unauthorized', 'unable to authenticate')
    this.#remaining -= 1
    if (right === 'read' && request.method !== 'GET')
      return refusal(403, 'token_readonly', 'the token is read-only')
    const { pathname, searchParams } = new URL(request.path, 'http://fake.invalid')
    const [, , kind = '', id] = pathname.split('/')
    const answer = this.#route(`${request.method} ${kind}`, id, searchParams, request.body)
    const reset = String(Math.floor(this.clock.now().getTime() / 1000) + 3600 - this.#remaining)
    const limits = { 'ratelimit-limit': '3600', 'ratelimit-remaining': String(Math.max(this.#remaining, 60)) }
    return { ...answer, headers: { ...limits, 'ratelimit-reset': reset, ...answer.headers } }
  }

  #route(what: string, id: string | undefined, query: URLSearchParams, body: string): FakeAnswer {
    const server = this.servers.get(Number(id))
    switch (what) {
      case 'POST servers':
        return this.#create(body)
      case 'GET servers':
        if (id === undefined) return this.#list(query)
        return server !== undefined && this.isKnown(server)
          ? { status: 200, body: { server: this.#view(server) } }
          : refusal(404, 'not_found', 'server not found')
      case 'DELETE servers':
        return this.#delete(server)
      case 'GET actions':
        return this.#action(id, query)
      case 'GET pricing':
        return { status: 200, body: { pricing: pricingView(this.prices, this.placePrices) } }
      case 'POST ssh_keys':
        return refusal(422, 'invalid_input', 'invalid input in fields', {
          fields: [{ name: 'name', messages: ['required'] }],
        })
      case 'GET ssh_keys':
        return this.#named(
          query,
          'ssh_keys',
          [...this.sshKeys].map(([name, key]) => sshKeyView(name, key)),
        )
      case 'GET server_types':
        return this.#named(
          query,
          'server_types',
          [...this.prices.keys()].map((name) => typeView(name, this.prices, this.placePrices)),
        )
      case 'GET images':
        return this.#named(query, 'images', [imageView(IMAGE)])
      case 'GET locations':
        return this.#named(query, 'locations', LOCATIONS.map(locationView))
      default:
        return refusal(404, 'not_found', 'no such route')
    }
  }

  #create(text: string): FakeAnswer {
    const wrong = (name: string) =>
      refusal(422, 'invalid_input', 'invalid input in fields', { fields: [{ name, messages: ['invalid'] }] })
    const body = JSON.parse(text) as Body
    const { name, server_type: type, image, location, labels = {}, user_data: userData = '' } = body
    if (typeof name !== 'string' || !/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/i.test(name))
      return wrong('name')
    if (!Object.values(labels as Body).every((label) => LABEL_VALUE.test(String(label))))
      return wrong('labels')
    if (typeof userData !== 'string' || Buffer.byteLength(userData) > 32_768) return wrong('user_data')
    const typeName = typeof type === 'number' ? [...this.prices.keys()][type - TYPE_ID] : type
    if (typeof typeName !== 'string' || !this.prices.has(typeName))
      return refusal(422, 'invalid_input', 'server type not found')
    // As everything else, an image has a name and an id.
    const imageName = image === IMAGE_ID ? IMAGE : image
    if (imageName !== IMAGE) return refusal(422, 'invalid_input', 'image not found')
    const place = typeof location === 'number' ? LOCATIONS[location - 1] : (location ?? 'fsn1')
    if (!(LOCATIONS as readonly unknown[]).includes(place)) return wrong('location')
    const offer = `${typeName} ${place}`
    if (this.placePrices.has(offer) && this.placePrices.get(offer) === undefined)
      return refusal(422, 'invalid_input', 'unsupported location for server type')
    const unknown = (body.ssh_keys as (string | number)[] | undefined)?.find(
      (key) => !this.sshKeys.has(String(key)) && ![...this.sshKeys.values()].includes(Number(key)),
    )
    if (unknown !== undefined) return refusal(422, 'invalid_input', 'SSH key not found')
    if (this.full.has(String(place))) return refusal(412, 'resource_unavailable', 'error during placement')
    if (this.live.some((each) => each.name === name))
      return refusal(409, 'uniqueness_error', 'server name is already used', { fields: [{ name: 'name' }] })
    const server = this.add({
      name,
      type: typeName,
      location: String(place),
      image: IMAGE,
      labels: labels as Record<string, string>,
      userData,
    })
    const action = this.begin('create_server', server.id, this.pace.action)
    const hasKeys = (body.ssh_keys as unknown[] | undefined)?.length
    return {
      status: 201,
      body: {
        server: this.#view(server),
        action: this.#actionView(action),
        next_actions: [this.#actionView(this.begin('start_server', server.id, this.pace.action))],
        root_password: hasKeys ? null : 'not-a-real-password',
      },
    }
  }

  #list(query: URLSearchParams): FakeAnswer {
    const [, label, value] = /^([^=]+)==?(.+)$/.exec(query.get('label_selector') ?? '') ?? []
    const name = query.get('name')
    const found = [...this.servers.values()]
      .filter((server) => this.isListed(server))
      .filter((server) => label === undefined || server.labels[label] === value)
      .filter((server) => name === null || server.name === name)
      .map((server) => this.#view(server))
    return this.#page(query, 'servers', found)
  }

  #delete(server: FakeServer | undefined): FakeAnswer {
    if (server === undefined || !this.isKnown(server)) return refusal(404, 'not_found', 'server not found')
    if (server.isProtected) return refusal(423, 'protected', 'server deletion is protected')
    this.remove(server)
    return {
      status: 200,
      body: { action: this.#actionView(this.begin('delete_server', server.id, this.pace.delete)) },
    }
  }

  #action(id: string | undefined, query: URLSearchParams): FakeAnswer {
    if (id === undefined) {
      const ids = query.getAll('id').map(Number)
      const found = [...this.actions.values()].filter((action) => ids.includes(action.id))
      return this.#page(
        query,
        'actions',
        found.map((action) => this.#actionView(action)),
      )
    }
    const action = this.actions.get(Number(id))
    return action === undefined
      ? refusal(404, 'not_found', 'action not found')
      : { status: 200, body: { action: this.#actionView(action) } }
  }

  #named(query: URLSearchParams, key: string, all: readonly { readonly name: string }[]): FakeAnswer {
    const name = query.get('name')
    return this.#page(
      query,
      key,
      all.filter((each) => name === null || each.name === name),
    )
  }

  #page(query: URLSearchParams, key: string, all: readonly unknown[]): FakeAnswer {
    const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 25)]
    const last = Math.max(1, Math.ceil(all.length / perPage))
    const next = page < last ? page + 1 : null
    const numbers = { page, per_page: perPage, previous_page: page > 1 ? page - 1 : null, next_page: next }
    const pagination = { ...numbers, last_page: last, total_entries: all.length }
    return {
      status: 200,
      body: { [key]: all.slice((page - 1) * perPage, page * perPage), meta: { pagination } },
    }
  }

  #view(server: FakeServer) {
    const { id, name, labels, type, location } = server
    const place = locationView(location)
    const status = this.isRunning(server) ? 'running' : 'initializing'
    return {
      id,
      name,
      status,
      labels,
      created: server.createdAt.toISOString(),
      locked: false,
      public_net: {
        ipv4: { id: id + 1, ip: `203.0.113.${id % 250}`, blocked: false, dns_ptr: 'static.example' },
        ipv6: { id: id + 2, ip: `2001:db8:${(id % 65_536).toString(16)}::/64`, blocked: false, dns_ptr: [] },
        floating_ips: [],
        firewalls: [],
      },
      private_net: [],
      volumes: [],
      load_balancers: [],
      iso: null,
      rescue_enabled: false,
      server_type: typeView(type, this.prices, this.placePrices),
      image: imageView(server.image),
      datacenter: { id: 1, name: `${location}-dc1`, description: location, location: place },
      location: place,
      protection: { delete: server.isProtected, rebuild: server.isProtected },
      backup_window: null,
      included_traffic: 0,
      ingoing_traffic: 0,
      outgoing_traffic: 0,
      primary_disk_size: 40,
    }
  }

  #actionView({ id, command, serverId, doneAt, error }: FakeAction) {
    const isDone = doneAt <= this.clock.now()
    const status = isDone ? (error === undefined ? 'success' : 'error') : 'running'
    return {
      id,
      command,
      status,
      progress: isDone ? 100 : 0,
      started: doneAt.toISOString(),
      finished: isDone ? doneAt.toISOString() : null,
      error: isDone ? (error ?? null) : null,
      resources: [{ id: serverId, type: 'server' }],
    }
  }
}
