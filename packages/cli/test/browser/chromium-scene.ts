import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe } from '@jest/globals'
import { systemResolver } from '@svc/core'
import { type LoopbackDns, loopbackDns } from '../../../../test/support/dns-server.ts'
import { type ModelServer, modelServer, saying } from '../../../../test/support/model-server.ts'
import { byListen, type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { browserEngine } from '../../src/browser/browser-engine.ts'
import { openSite, SITE_ADDRESS, type Site } from './site.ts'

/** Suites with Chromium; they are skipped where it is not installed, as `.ci/run` says. */
export const withChromium: (name: string, suite: () => void) => void = existsSync('/usr/bin/chromium')
  ? describe
  : describe.skip

/** A token of the settings. */
export const TOKEN = 'a browser token of the settings'.replaceAll(' ', '-')
const ROOT = process.getuid?.() === 0 ? '1' : '0'
const MAX_BYTES = 2_000_000

/** A plane with Chromium, a site, its DNS, a model, and a listener that nothing may reach. */
export interface ChromiumScene extends AsyncDisposable {
  readonly served: Mounted
  readonly site: Site
  readonly model: ModelServer
  /** Connections to the listener at 127.0.0.1. */
  readonly inside: { port: number; seen: number }
  url(path: string, host?: string): string
  ask(
    route: 'scrape' | 'agent',
    body: object,
    headers?: Readonly<Record<string, string>>,
  ): ReturnType<Mounted['post']>
  /** Lets the model give one action after the other; each may look at the page that it is shown. */
  plan(...actions: readonly (object | string | ((page: string) => object))[]): void
}

/** Opens the scene. The one browser of it starts with the first page. */
export async function chromiumScene(): Promise<ChromiumScene> {
  const inside = { port: 0, seen: 0 }
  const listener = createServer((socket) => {
    inside.seen += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  inside.port = (listener.address() as AddressInfo).port
  const site = await openSite(inside.port)
  const dns: LoopbackDns = await loopbackDns()
  for (const name of ['shop.test', 'away.test', 'www.shop.test'])
    dns.zone.set(name, { A: [{ address: SITE_ADDRESS }], AAAA: [] })
  dns.zone.set('inside.test', { A: [{ address: '127.0.0.1' }], AAAA: [] })
  const model = await modelServer()
  const env = {
    BROWSER_WORKER_TOKENS: TOKEN,
    BROWSER_NO_SANDBOX: ROOT,
    BROWSER_ALLOWED_PORTS: `${site.port},${inside.port}`,
    BROWSER_MAX_TRANSFER_BYTES: String(MAX_BYTES),
    SERVICE_OUTBOUND_ALLOW: `${SITE_ADDRESS}/32`,
    LLM_API_KEY: 'a-key-of-the-model',
    LLM_BASE_URL: model.url,
  }
  const resolver = systemResolver({ servers: [dns.server] })
  const served = await mounted(byListen(), { env, parts: { browserEngine, resolver } })
  const authorization = `Bearer ${TOKEN}`
  return {
    served,
    site,
    model,
    inside,
    url: (path, host = 'shop.test') => `http://${host}:${site.port}${path}`,
    ask: (route, body, headers = {}) => {
      // The limits of a minute have suites of their own.
      served.clock.advance({ minutes: 1 })
      return served.post(`/api/v1/browser/${route}`, body, { authorization, ...headers })
    },
    plan: (...actions) => {
      const left = [...actions]
      model.answer((response) => {
        const action = left.length > 1 ? left.shift() : left[0]
        const shown = model.seen.at(-1)?.body.messages.at(-1)?.content ?? ''
        const given = typeof action === 'function' ? action(shown) : action
        saying(typeof given === 'string' ? given : JSON.stringify(given))(response)
      })
    },
    [Symbol.asyncDispose]: async () => {
      await served[Symbol.asyncDispose]()
      await Promise.all([site, dns, model].map((each) => each[Symbol.asyncDispose]()))
      const closed = once(listener, 'close')
      listener.close()
      await closed
    },
  }
}

/** Returns the reference of an element in the tree of a page: `refOf(page, 'button "Buy"')`. */
export function refOf(tree: string, label: string): string {
  const line = tree.split('\n').find((each) => each.includes(label)) ?? ''
  return /\[ref=([a-z0-9]+)\]/.exec(line)?.[1] ?? 'e0'
}

/** Returns the processes that this one has started, and those that they have started. */
export function descendants(of = process.pid): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return state === 'Z' ? [] : [[Number(name), Number(parent)] as const]
      } catch {
        return []
      }
    })
  const found: number[] = []
  const left = [of]
  for (let next = left.pop(); next !== undefined; next = left.pop())
    for (const [pid, parent] of parents)
      if (parent === next) {
        found.push(pid)
        left.push(pid)
      }
  return found
}
