import { once } from 'node:events'
import { chmodSync, renameSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Problem, readAppLogsWish } from '@svc/core'
import {
  readAdjustOrder,
  readAppOrder,
  readBuildOrder,
  readDatabaseOrder,
  readDataOrder,
  readDeployOrder,
  readExposeOrder,
  readImageOrder,
  readPackagesOrder,
  readRemoveOrder,
  readRunOrder,
  readScriptOrder,
  readUnexposeOrder,
  withSocketPath,
} from '@svc/core/adapters'
import { CONTROL_SOCKET } from './apps-folder.ts'
import type { Say } from './generation.ts'
import { OrderLines } from './order-lines.ts'
import type { Supervisor } from './supervisor.ts'

type Order = (
  supervisor: Supervisor,
  body: unknown,
  say: Say,
  signal: AbortSignal,
  /** Resolves when the asker has taken the lines, or is gone. */
  drained: () => Promise<void>,
  /** The bytes after the order. */
  input: AsyncIterable<Uint8Array>,
) => Promise<string>

const ORDERS: Readonly<Record<string, Order>> = {
  '/deploy': async (supervisor, body, say, signal) => {
    const given = readDeployOrder(body)
    await supervisor.deploy(given, say, signal)
    return supervisor.addressOf(given.app)
  },
  '/image': async (supervisor, body, say, signal) =>
    JSON.stringify(await supervisor.making.image(readImageOrder(body), say, signal)),
  '/build': async (supervisor, body, say, signal) => {
    await supervisor.making.build(readBuildOrder(body), say, signal)
    return ''
  },
  '/packages': async (supervisor, body, say) => {
    await supervisor.making.packages(readPackagesOrder(body).packages, say)
    return ''
  },
  '/script': async (supervisor, body, say, signal) =>
    (await supervisor.making.script(readScriptOrder(body), say, signal)) ?? '',
  '/tidy': async (supervisor) => {
    await supervisor.tidy()
    return ''
  },
  '/adjust': async (supervisor, body, say, signal) => {
    await supervisor.adjust(readAdjustOrder(body), say, signal)
    return ''
  },
  '/stop': async (supervisor, body) =>
    (await supervisor.stop(readAppOrder(body).app)) ? 'stopped' : 'unknown',
  '/remove': async (supervisor, body, say) => {
    const { app, files = false, data = false } = readRemoveOrder(body)
    return (await supervisor.remove(app, files, data, say)) ? 'removed' : 'unknown'
  },
  '/expose': async (supervisor, body, say) => {
    await supervisor.expose(readExposeOrder(body), say)
    return 'exposed'
  },
  '/unexpose': async (supervisor, body) => {
    const { app, domain } = readUnexposeOrder(body)
    return (await supervisor.unexpose(app, domain)) ? 'unexposed' : 'unknown'
  },
  '/db': async (supervisor, body, say) => {
    await supervisor.data.database(readDatabaseOrder(body), say)
    return ''
  },
  '/data': async (supervisor, body, say) => supervisor.data.carryOut(readDataOrder(body), say),
  '/logs': async (supervisor, body, say, signal, drained) => {
    const print = async (lines: readonly string[]) => {
      for (const line of lines) say(line)
      await drained()
    }
    await supervisor.logs(readAppLogsWish(body), print, signal)
    return ''
  },
  '/run': async (supervisor, body, say, signal, _, input) => {
    const { app, command } = readRunOrder(body)
    return (await supervisor.run(app, { command, input }, say, signal)) ?? ''
  },
  '/status': async (supervisor) => JSON.stringify({ port: supervisor.frontPort, apps: supervisor.status() }),
}

/** The reason of a failure: of input that is refused, its fields. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Problem)) return String(error)
  const { details = [] } = error.data
  return details.length === 0 ? error.message : details.join('; ')
}

const LINE_END = 10

/** Reads the order of a request, which is its first line; the bytes after it are not read. */
async function orderIn(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const end = part.indexOf(LINE_END)
    parts.push(end === -1 ? part : part.subarray(0, end))
    if (end === -1) continue
    request.unshift(part.subarray(end + 1))
    break
  }
  return JSON.parse(Buffer.concat(parts).toString())
}

/** Answers with lines of JSON: those that are said, then the end. */
async function answer(
  supervisor: Supervisor,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const order = ORDERS[request.url ?? '']
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  if (order === undefined || request.method !== 'POST') {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  const lines = new OrderLines(response, (text) => supervisor.data.masked(text))
  const say: Say = (text) => lines.say(text)
  const { signal } = gone
  try {
    const body = await orderIn(request)
    lines.end({
      kind: 'done',
      text: await order(supervisor, body, say, signal, () => lines.drained(signal), request),
    })
  } catch (error) {
    lines.end({ kind: 'failed', text: wordsOf(error) })
  }
}

/** Opens the socket of the supervisor in a folder; its mode says who gives orders. */
export async function openControl(
  folder: string,
  mode: number,
  supervisor: Supervisor,
): Promise<AsyncDisposable> {
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    answer(supervisor, request, response).catch(() => response.destroy())
  })
  // The socket has its rights before it has its name: a program that finds it may open it.
  const draft = `${CONTROL_SOCKET}.new`
  rmSync(join(folder, draft), { force: true })
  await withSocketPath(folder, draft, (path) => listening(server, path))
  chmodSync(join(folder, draft), mode)
  renameSync(join(folder, draft), join(folder, CONTROL_SOCKET))
  return {
    [Symbol.asyncDispose]: async () => {
      rmSync(join(folder, CONTROL_SOCKET), { force: true })
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function listening(server: Server, path: string): Promise<void> {
  server.listen(path)
  await once(server, 'listening')
}
