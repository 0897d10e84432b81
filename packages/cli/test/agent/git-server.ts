import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The credentials that a git server asks of its callers. */
export interface GitServerParts {
  /** Folder of repositories. */
  readonly root: string
  /** `name:password` that every request has to carry; anybody may read when there is none. */
  readonly credentials: string | undefined
  /** `v0`: the newer protocol is not spoken, even if callers ask for it. */
  readonly protocol?: 'v0'
  /** The files that git-lfs is given, by the SHA-256 of their contents. */
  readonly largeFiles?: ReadonlyMap<string, string>
  /** Called before a request that may read is answered. */
  readonly onAdmitted?: () => Promise<void>
}

/** `git http-backend` on loopback, behind basic authentication. */
export class GitServer implements AsyncDisposable {
  /** The contents of each `Authorization` header, decoded. */
  readonly shown: string[] = []
  /** The paths of requests that carried such a header. */
  readonly shownAt: string[] = []
  readonly #parts: GitServerParts
  readonly #server: Server

  private constructor(parts: GitServerParts) {
    this.#parts = parts
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  static async start(parts: GitServerParts): Promise<GitServer> {
    const server = new GitServer(parts)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  /** `127.0.0.1:<port>`. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { credentials, onAdmitted } = this.#parts
    const [, encoded] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? []
    const said = encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString()
    if (said !== undefined) {
      this.shown.push(said)
      this.shownAt.push(request.url ?? '')
    }
    if (credentials !== undefined && said !== credentials) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
      return
    }
    await onAdmitted?.()
    const { pathname } = new URL(request.url ?? '', 'http://git')
    if (/\/info\/lfs\//.test(pathname)) await this.#answerLfs(request, response)
    else this.#answer(request, response)
  }

  /** The batch interface of git-lfs, for downloads. */
  async #answerLfs(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const files = this.#parts.largeFiles ?? new Map<string, string>()
    const text = files.get(/\/objects\/([0-9a-f]{64})$/.exec(request.url ?? '')?.[1] ?? '')
    if (text !== undefined) return void response.end(text)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { objects } = JSON.parse(Buffer.concat(chunks).toString() || '{"objects":[]}')
    const found = objects.map(({ oid, size }: { oid: string; size: number }) => {
      const href = `http://${this.host}${request.url?.replace(/batch$/, '')}${oid}`
      return files.has(oid)
        ? { oid, size, actions: { download: { href } } }
        : { oid, size, error: { code: 404, message: 'no such object' } }
    })
    response.writeHead(200, { 'content-type': 'application/vnd.git-lfs+json' })
    response.end(JSON.stringify({ transfer: 'basic', objects: found }))
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '', 'http://git')
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: this.#parts.root,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
        GIT_PROTOCOL: this.#parts.protocol === 'v0' ? '' : String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    request.pipe(backend.stdin)
    const chunks: Buffer[] = []
    backend.stdout.on('data', (bytes: Buffer) => chunks.push(bytes))
    backend.on('close', () => {
      const bytes = Buffer.concat(chunks)
      const end = bytes.indexOf('\r\n\r\n')
      const fields = bytes.subarray(0, end).toString().split('\r\n')
      const headers = Object.fromEntries(fields.map((field) => field.split(/: (.*)/s).slice(0, 2)))
      const { Status: status = '200', ...rest } = headers as Record<string, string>
      response.writeHead(Number.parseInt(status, 10), rest).end(bytes.subarray(end + 4))
    })
  }
}
