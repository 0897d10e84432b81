import { type FakeAnswer, FakeProvider, type FakeRequest, type FakeServer } from './fake-provider.ts'

type Body = Readonly<Record<string, unknown>>

const REGIONS = ['fra1', 'ams3'] as const

const refusal = (status: number, id: string, message: string): FakeAnswer => ({
  status,
  body: { id, message },
})
const unknown = () => refusal(404, 'not_found', 'The resource you were accessing could not be found.')

/** DigitalOcean in memory, by its public schema: droplets, their actions, and sizes. Names are not unique. */
export class DigitalOceanFake extends FakeProvider {
  /** Seconds until a new droplet has its tags. */
  tagLag = 0

  protected admitted(request: FakeRequest): FakeAnswer {
    const right = this.rightOf(request)
    if (right === undefined) return refusal(401, 'unauthorized', 'Unable to authenticate you')
    if (right === 'read' && request.method !== 'GET')
      return refusal(403, 'forbidden', 'You do not have access for the attempted action.')
    const { pathname, searchParams } = new URL(request.path, 'http://fake.invalid')
    const [, , kind = '', id] = pathname.split('/')
    const server = this.servers.get(Number(id))
    switch (`${request.method} ${kind}`) {
      case 'POST droplets':
        return this.#create(request.body)
      case 'GET droplets':
        if (id === undefined) return this.#list(searchParams)
        return server !== undefined && this.isKnown(server)
          ? { status: 200, body: { droplet: this.#view(server) } }
          : unknown()
      case 'DELETE droplets':
        if (server === undefined || !this.isKnown(server)) return unknown()
        this.remove(server)
        return { status: 204, body: undefined }
      case 'GET actions':
        return this.#action(Number(id))
      case 'GET sizes':
        return { status: 200, body: { sizes: this.#sizes(), links: {}, meta: { total: this.prices.size } } }
      case 'POST account':
        return refusal(422, 'unprocessable_entity', 'Name can’t be blank')
      default:
        return unknown()
    }
  }

  #create(text: string): FakeAnswer {
    const { name, region, size, image, tags, user_data: userData } = JSON.parse(text) as Body
    const isSized = typeof size === 'string' && this.prices.has(size)
    if (!isSized || typeof name !== 'string' || !(REGIONS as readonly unknown[]).includes(region))
      return refusal(422, 'unprocessable_entity', 'You specified an invalid size or region.')
    const labels = Object.fromEntries((tags as string[]).map((tag) => [tag, 'tag']))
    const place = String(region)
    const server = this.add({
      name,
      type: size,
      location: place,
      image: String(image),
      labels,
      userData: String(userData),
    })
    const action = this.begin('create', server.id, this.pace.action)
    const href = `https://api.digitalocean.com/v2/actions/${action.id}`
    const actions = [{ id: action.id, rel: 'create', href }]
    return { status: 202, body: { droplet: { ...this.#view(server), tags: [] }, links: { actions } } }
  }

  #list(query: URLSearchParams): FakeAnswer {
    const [tag, name] = [query.get('tag_name'), query.get('name')]
    const all = [...this.servers.values()]
      .filter((server) => this.isListed(server))
      .filter((server) => tag === null || this.#tagsOf(server).includes(tag))
      .filter((server) => name === null || server.name === name)
      .map((server) => this.#view(server))
    const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)]
    const isMore = all.length > page * perPage
    const links = isMore
      ? { pages: { next: `https://api.digitalocean.com/v2/droplets?page=${page + 1}` } }
      : {}
    const droplets = all.slice((page - 1) * perPage, page * perPage)
    return { status: 200, body: { droplets, links, meta: { total: all.length } } }
  }

  #action(id: number): FakeAnswer {
    const action = this.actions.get(id)
    if (action === undefined) return unknown()
    const isDone = action.doneAt <= this.clock.now()
    const status = isDone ? (action.error === undefined ? 'completed' : 'errored') : 'in-progress'
    return { status: 200, body: { action: { id, status, type: 'create', resource_id: action.serverId } } }
  }

  #tagsOf(server: FakeServer): readonly string[] {
    const ageSeconds = (this.clock.now().getTime() - server.createdAt.getTime()) / 1000
    return ageSeconds >= this.tagLag ? Object.keys(server.labels) : []
  }

  #view(server: FakeServer) {
    const isRunning = this.isRunning(server)
    const v4 = [
      { ip_address: '10.0.0.2', type: 'private', netmask: '255.255.0.0' },
      { ip_address: `203.0.113.${server.id % 250}`, type: 'public', netmask: '255.255.255.0' },
    ]
    return {
      ...{
        id: server.id,
        name: server.name,
        status: isRunning ? 'active' : 'new',
        tags: this.#tagsOf(server),
      },
      networks: isRunning
        ? { v4, v6: [{ ip_address: `2001:db8::${server.id.toString(16)}`, type: 'public' }] }
        : {},
      ...{
        size_slug: server.type,
        region: { slug: server.location },
        created_at: server.createdAt.toISOString(),
      },
    }
  }

  #sizes() {
    const offered = (slug: string) => (region: string) => {
      const key = `${slug} ${region}`
      return !this.placePrices.has(key) || this.placePrices.get(key) !== undefined
    }
    return [...this.prices].map(([slug, price]) => ({
      ...{
        slug,
        available: true,
        regions: REGIONS.filter(offered(slug)),
        memory: 1024,
        vcpus: 1,
        disk: 25,
        transfer: 1,
      },
      price_monthly: Number(price),
      price_hourly: 0.00893,
    }))
  }
}
