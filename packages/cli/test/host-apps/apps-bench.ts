import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { systemClock } from '@svc/core'
import type { AppProcess, AppRelease } from '@svc/core/adapters'
import { readAppsFile } from '../../src/host-apps/apps-file.ts'
import { releaseFolder, runtimeFolder } from '../../src/host-apps/apps-folder.ts'
import { ProcessRuntime } from '../../src/host-apps/process-runtime.ts'
import type { Timing } from '../../src/host-apps/slot.ts'
import { Supervisor } from '../../src/host-apps/supervisor.ts'

const QUICK: Timing = { aliveMs: 300, backoffMs: 50, backoffMaxMs: 200 }

/** A server that says its release, streams, and echoes upgraded connections. It ends when it is asked to. */
export const SERVER = `
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/pid') return response.end(String(process.pid))
  if (request.url === '/headers') return response.end(JSON.stringify(request.headers))
  if (request.url === '/env') return response.end(JSON.stringify(process.env))
  if (request.url === '/exit') process.exit(3)
  if (request.url === '/upload') {
    let bytes = 0
    request.on('data', (piece) => { bytes += piece.length })
    return request.on('end', () => response.end('took ' + bytes))
  }
  if (request.url === '/stream') {
    let left = 8
    const next = () => { response.write('part '); left -= 1; left ? setTimeout(next, 100) : response.end() }
    return next()
  }
  response.end('release ' + process.env.SVC_RELEASE)
})
server.on('upgrade', (request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: Upgrade\\r\\n\\r\\n')
  socket.on('data', (bytes) => socket.write(process.env.SVC_RELEASE + ':' + bytes))
  socket.on('end', () => socket.end())
  socket.on('error', () => {})
})
server.listen(process.env.PORT, '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
`

const NODE = process.execPath

/** A process of the release. */
export const processOf = (command: string, more: Partial<AppProcess> = {}): AppProcess => ({
  command: command.replaceAll(/\bnode\b/g, NODE),
  count: 1,
  roll: 'beside',
  ...more,
})

/** A release of one web process. */
export const webRelease = (sha: string, more: Partial<AppRelease> = {}): AppRelease => ({
  sha,
  number: 1,
  processes: { web: processOf('node server.js') },
  stop: { signal: 'SIGTERM', grace_s: 5 },
  env: {},
  ...more,
})

/** The id of a commit, made of one letter. */
export const sha = (letter: string): string => letter.repeat(40)

/** Opens the supervisor of an apps folder. */
export const openSupervisor = async (apps: string): Promise<Supervisor> =>
  Supervisor.open({
    apps,
    runtime: runtimeFolder(apps),
    clock: systemClock,
    record: await readAppsFile(runtimeFolder(apps)),
    open: (record, find) =>
      ProcessRuntime.open(
        {
          record,
          apps,
          host: { PATH: process.env.PATH ?? '' },
          mark: { SVC_APPS_RUNTIME: apps },
          timing: QUICK,
          frontPort: 0,
        },
        find,
      ),
  })

/** An answer of an application. */
export interface Got {
  readonly status: number | undefined
  readonly body: string
}

/** A supervisor in an apps folder of its own; gone with the test, and its processes with it. */
export class AppsBench implements AsyncDisposable {
  readonly apps: string
  supervisor: Supervisor
  /** Lines that deploys have said. */
  readonly said: string[] = []

  private constructor(apps: string, supervisor: Supervisor) {
    this.apps = apps
    this.supervisor = supervisor
  }

  static async open(): Promise<AppsBench> {
    const apps = mkdtempSync(join(tmpdir(), 'svc-apps-'))
    return new AppsBench(apps, await openSupervisor(apps))
  }

  /** Writes the files of a release. */
  files(app: string, id: string, files: Readonly<Record<string, string>>): void {
    const folder = releaseFolder(this.apps, app, id)
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
  }

  /** Deploys a release with the server above, or with other files. */
  async deploy(
    app: string,
    release: AppRelease,
    files: Readonly<Record<string, string>> = { 'server.js': SERVER },
    signal = never(),
    job?: string,
  ): Promise<void> {
    this.files(app, release.sha, files)
    await this.supervisor.deploy({ app, release, job }, (line) => this.said.push(line), signal)
  }

  /** Asks an application for a page. */
  async get(
    app: string,
    path = '/',
    more: { readonly agent?: Agent; readonly headers?: object } = {},
  ): Promise<Got> {
    const response = await this.response(app, path, more)
    return { status: response.statusCode, body: await text(response) }
  }

  async response(
    app: string,
    path: string,
    { agent, headers = {} }: { readonly agent?: Agent; readonly headers?: object } = {},
  ): Promise<IncomingMessage> {
    const { frontPort: port } = this.supervisor
    const host = `${app}.localhost:${port}`
    const asked = request({
      host: '127.0.0.1',
      port,
      path,
      agent: agent ?? false,
      headers: { host, ...headers },
    })
    asked.end()
    const [response] = await once(asked, 'response')
    return response
  }

  /** The release that is linked as the live one. */
  current(app: string): string {
    return readlinkSync(join(this.apps, app, 'current'))
  }

  /** The id that a process of a release has written into its file `pid`; 0 before. */
  pidIn(app: string, id: string): number {
    const path = join(releaseFolder(this.apps, app, id), 'pid')
    return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  }

  /** Ends the supervisor in order, and starts another on the same folder. */
  async restart(): Promise<void> {
    await this.supervisor[Symbol.asyncDispose]()
    this.supervisor = await openSupervisor(this.apps)
  }

  /** The file of the application's output. */
  output(app: string): Promise<string> {
    return readFile(join(this.apps, '.runtime', 'logs', `${app}.log`), 'utf8')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supervisor[Symbol.asyncDispose]()
    rmSync(this.apps, { recursive: true, force: true })
  }
}

const never = (): AbortSignal => new AbortController().signal
