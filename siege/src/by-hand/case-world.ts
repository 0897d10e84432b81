import { memoryGlass } from '../../../packages/http/test/authorization/contents.ts'
import { SECRETS } from '../../../packages/http/test/authorization/secrets.ts'
import { stagedWorld, type World } from '../../../packages/http/test/authorization/world.ts'
import { rawExchange } from '../../../test/support/exchange.ts'
import { unlimited } from '../../../test/support/unlimited.ts'
import type { WireAnswer } from '../pipeline.ts'
import type { HandRequest } from './case.ts'

/** Stages a world with every job of the own license already claimed, and no rate limit hit. */
export async function caseWorld(): Promise<World> {
  const world = await stagedWorld(memoryGlass, { rateCounter: unlimited })
  const { licenseId, fingerprint } = world.own
  const next = () => world.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined })
  while ((await next()).job !== undefined);
  return world
}

const sealOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1)

/** The values of the words in braces. */
const wordsOf = ({ own, other, dead, cookies }: World): Readonly<Record<string, string>> => ({
  key: own.key,
  shortkey: own.key.slice(0, -1),
  uppercase: own.key.toUpperCase(),
  basic: Buffer.from(`:${own.key}`).toString('base64'),
  otherkey: other.key,
  license: own.licenseId,
  revoked: dead.revoked,
  cron: SECRETS.cron,
  worker: SECRETS.worker,
  cookie: cookies.admin,
  sealed: sealOf(cookies.admin),
  encoded: sealOf(cookies.admin).replaceAll('.', '%2E'),
  owner: cookies.owner,
  watcher: cookies.watcher,
  stranger: cookies.stranger,
  held: own.held,
  ended: own.ended,
  foreign: other.held,
  fp: own.fingerprint,
  otherfp: other.fingerprint,
  host: own.hostname,
  dep: own.deployment,
  otherdep: other.deployment,
  alert: own.alert,
  otheralert: other.alert,
  dedup: own.dedupKey,
  conversation: own.conversation,
  visitor: own.visitor,
})

/** Returns a request with its words filled in. */
export function filled(world: World, { method, path, headers, body }: HandRequest): HandRequest {
  const words = wordsOf(world)
  const text = (given: string) =>
    given.replaceAll(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole)
  return {
    method,
    path: text(path),
    headers: headers.map(([name, value]) => [name, text(value)] as const),
    body: typeof body === 'string' ? text(body) : body,
  }
}

/** Returns the bytes of a request; adds `Content-Length` if no header gives the length. */
export function bytesOf({ method, path, headers, body }: HandRequest): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.alloc(0))
  const names = headers.map(([name]) => name.toLowerCase())
  const isFramed = names.includes('content-length') || names.includes('transfer-encoding')
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...(names.includes('host') ? [] : ['Host: svc.example']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(isFramed || body === undefined ? [] : [`Content-Length: ${content.length}`]),
    'Connection: close',
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

/** Sends the bytes unchanged on a new connection and returns the answer. */
export async function answerTo(port: number, bytes: Buffer): Promise<WireAnswer> {
  const text = await rawExchange(port, bytes)
  const end = text.indexOf('\r\n\r\n')
  const head = text.slice(0, end)
  return { status: Number(head.split(' ')[1]), head, body: text.slice(end + 4) }
}
