import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The credentials that a git server asks of its callers. */
export interface GitServerParts {
  /** Folder of repositories. */
  readonly root: string
  /** `name:password` that every request has to carry; anybody may read when there is none. */
  readonly credentials: string | undefined
  /** `v0`: the newer protocol is not spoken, whatever callers ask for. */
  readonly protocol?: 'v0'
  /** Called before a request that may read is answered. */
  readonly onAdmitted?: () => Promise<void>
}

/** `git http-backend` on loopback, behind basic authentication. */
export class GitServer implements AsyncDisposable {
  /** The contents of each `Authorization` header, decoded. */
  readonly shown: string[] = []
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
    if (said !== undefined) this.shown.push(said)
    if (credentials !== undefined && said !== credentials) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
      return
    }
    await onAdmitted?.()
    this.#answer(request, response)
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
