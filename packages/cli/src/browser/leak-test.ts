import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createSite } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { type Config, type ControlPlaneParts, randomIds, silentLog, systemTimers } from '@svc/core'
import { PageGuard } from '@svc/core/adapters'
import { chromiumEngine } from './chromium-engine.ts'
import { LEAK_NAME, leakPage } from './leak-page.ts'

/** One result of the test. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

/** The address of the page, and the forbidden one: both this machine. The guard allows the first alone. */
const SITE = '127.0.0.2'
const FORBIDDEN = '127.0.0.1'
/** Names that the page itself asks for. */
const OF_THE_PAGE = /^(?:localhost|.+\.svc\.test)$/i
const LOAD_MS = 20_000
/** Time for requests that a page begins after it is loaded. */
const TRY_MS = 2500

/**
 * Opens a page that tries every way out of the browser: images, frames, fetch, beacons, WebSockets, workers,
 * redirects and WebRTC. A listener for each protocol counts arrivals past the proxy.
 */
export async function leakTest(config: Config, options: LeakTestOptions = {}): Promise<readonly Finding[]> {
  const { tryMs = TRY_MS, log = silentLog } = options
  await using listeners = await listening()
  const { site, tcp, udp } = listeners
  const asked = new Set<string>()
  const guard = new PageGuard({
    resolver: {
      resolve: async (host) => {
        asked.add(host)
        return host === LEAK_NAME ? [SITE] : []
      },
    },
    ports: [site.port, tcp.port],
    allow: [`${SITE}/32`],
  })
  await using engine = chromiumEngine({ guard, config, ids: randomIds(), log })
  const page = await engine.open({ viewport: { width: 1280, height: 800 }, block: [] })
  try {
    site.page = leakPage({ host: FORBIDDEN, tcpPort: tcp.port, udpPort: udp.port, sitePort: site.port })
    const { status } = await page.navigate(`http://${LEAK_NAME}:${site.port}/`, 'load', LOAD_MS)
    await systemTimers.pause(tryMs)
    const { text = '' } = await page.extract({
      texts: ['text'],
      links: false,
      metadata: false,
      onlyMain: false,
      maxChars: 10_000,
    })
    const own = page.refusals
      .filter(({ reason }) => reason === 'browser')
      .map(({ url }) => new URL(url).hostname)
    const strange = new Set([...own, ...[...asked].filter((host) => !OF_THE_PAGE.test(host))])
    const refused = page.refusals.filter(({ reason }) => reason === 'private_address').length
    return [
      {
        check: 'chromium',
        ok: status === 200 && text.includes('tried'),
        detail: 'a page was opened and ran',
      },
      counted('tcp', tcp.seen, 'connections'),
      counted('udp', udp.seen, 'packets, of WebRTC and QUIC'),
      {
        check: 'own',
        ok: strange.size === 0,
        detail: [`${strange.size} names that Chromium itself asked for`, ...strange].join(' '),
      },
      {
        check: 'refused',
        ok: refused > 0,
        detail: `the proxy refused ${refused} addresses that the page asked for`,
      },
    ]
  } finally {
    await page[Symbol.asyncDispose]()
  }
}

/** How long the page may try, and the log of the browser. */
export interface LeakTestOptions {
  readonly tryMs?: number
  readonly log?: NonNullable<ControlPlaneParts['log']>
}

const counted = (check: string, seen: number, what: string): Finding => ({
  check,
  ok: seen === 0,
  detail: `${seen} ${what} past the proxy`,
})

async function listening() {
  const site = { port: 0, page: '' }
  const tcp = { port: 0, seen: 0 }
  const udp = { port: 0, seen: 0 }
  const web = createSite((request, response) => {
    const isRedirect = request.url?.startsWith('/away') === true
    if (isRedirect) response.writeHead(302, { location: `http://${FORBIDDEN}:${tcp.port}/redirected` }).end()
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(site.page)
  })
  const plain = createServer((socket) => {
    tcp.seen += 1
    socket.destroy()
  })
  const datagrams = createSocket('udp4', () => {
    udp.seen += 1
  })
  web.listen(0, SITE)
  plain.listen(0, FORBIDDEN)
  datagrams.bind(0, FORBIDDEN)
  await Promise.all([once(web, 'listening'), once(plain, 'listening'), once(datagrams, 'listening')])
  site.port = (web.address() as AddressInfo).port
  tcp.port = (plain.address() as AddressInfo).port
  udp.port = datagrams.address().port
  return {
    site,
    tcp,
    udp,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.all([once(web, 'close'), once(plain, 'close'), once(datagrams, 'close')])
      web.close()
      web.closeAllConnections()
      plain.close()
      datagrams.close()
      await closed
    },
  }
}
