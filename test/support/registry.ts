import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface Publication {
  readonly name: string
  readonly versions: Readonly<Record<string, { dist: { integrity: string; tarball: string } }>>
  readonly 'dist-tags': Readonly<Record<string, string>>
  readonly _attachments: Readonly<Record<string, { data: string }>>
}

/**
 * A registry of npm on this machine, as far as `npm publish`, `npm view` and `npm install` ask it: documents
 * of packages, tarballs, and publications, of which each version comes once.
 */
export class Registry implements AsyncDisposable {
  /** The requests that changed something or tried to, such as `PUT @svc/core 0.1.0`. */
  readonly asked: string[] = []
  /** Packages whose publication is answered 500 as long as they stand here. */
  readonly broken = new Set<string>()
  readonly #documents = new Map<string, Publication>()
  readonly #tarballs = new Map<string, Buffer>()
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message))
  })

  static async start(): Promise<Registry> {
    const registry = new Registry()
    const { promise, resolve } = Promise.withResolvers<void>()
    registry.#server.listen(0, '127.0.0.1', resolve)
    await promise
    return registry
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** The versions of a package, each with the digest of its tarball, and its tags. */
  of(
    name: string,
  ): { readonly versions: Readonly<Record<string, string>>; readonly tags: object } | undefined {
    const found = this.#documents.get(name)
    if (found === undefined) return undefined
    const versions = Object.entries(found.versions).map(([at, { dist }]) => [at, dist.integrity])
    return { versions: Object.fromEntries(versions), tags: found['dist-tags'] }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', this.url).pathname.slice(1))
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    const tarball = this.#tarballs.get(path)
    if (tarball !== undefined) return void response.end(tarball)
    if (request.method === 'GET') {
      const found = this.#documents.get(path)
      return void (found ? reply(200, found) : reply(404, { error: 'Not found' }))
    }
    if (request.method !== 'PUT') return void reply(405, { error: 'not here' })
    const body = JSON.parse((await buffer(request)).toString()) as Publication
    const version = Object.keys(body.versions)[0] ?? ''
    this.asked.push(`PUT ${path} ${version} ${request.headers.authorization ?? 'nobody'}`)
    if (this.broken.has(path)) return void reply(500, { error: 'out of order' })
    if (this.#documents.get(path)?.versions[version]) return void reply(403, { error: 'is there already' })
    this.#take(path, body)
    reply(201, { ok: true })
  }

  #take(path: string, { _attachments, ...body }: Publication): void {
    const [file, attachment] = Object.entries(_attachments)[0] ?? ['', { data: '' }]
    const bytes = Buffer.from(attachment.data, 'base64')
    const at = `${path}/-/${file.replace(/^.*\//, '')}`
    this.#tarballs.set(at, bytes)
    const [version, manifest] = Object.entries(body.versions)[0] ?? []
    if (version === undefined || manifest === undefined) throw new Error('a publication without a version')
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    if (manifest.dist.integrity !== integrity) throw new Error('the digest is another')
    const known = this.#documents.get(path)
    this.#documents.set(path, {
      ...body,
      _attachments: {},
      versions: {
        ...known?.versions,
        [version]: { ...manifest, dist: { integrity, tarball: `${this.url}${at}` } },
      },
      'dist-tags': { ...known?.['dist-tags'], ...body['dist-tags'] },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    this.#server.closeAllConnections()
    await promise
  }
}
