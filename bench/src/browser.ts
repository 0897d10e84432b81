// `node --conditions=svc-source bench/src/browser.ts [pages]`: pages a minute of `scrape`, in turns with
// playwright-core alone with one context a page, on one site on loopback; then the memory over 200 pages.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomIds, readConfig, silentLog } from '@svc/core'
import { PageGuard } from '@svc/core/adapters'
import { chromium } from 'playwright-core'
import { type ChromiumEngine, chromiumEngine } from '../../packages/cli/src/browser/chromium-engine.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const SITE = '127.0.0.2'
const AT_ONCE = 2
const ROUNDS = 3
const MEMORY_PAGES = 200
const MIB = 1_048_576

const pages = Number(process.argv[2] ?? 40)
const items = Array.from({ length: 200 }, (_, n) => `<li><a href="/p/${n}">Item ${n}</a> costs ${n} EUR</li>`)
const html = `<!doctype html><title>Shop</title><link rel="stylesheet" href="/style.css"><main><h1>Shop</h1>
<p>${'A sentence about the shop. '.repeat(60)}</p><ul>${items.join('')}</ul></main><script src="/script.js"></script>`

const site = createServer((request, response) => {
  const type = request.url?.endsWith('.css')
    ? 'text/css'
    : request.url?.endsWith('.js')
      ? 'text/javascript'
      : 'text/html'
  response.writeHead(200, { 'content-type': type }).end(type === 'text/html' ? html : '')
}).listen(0, SITE)
await once(site, 'listening')
const { port } = site.address() as AddressInfo
const url = `http://${SITE}:${port}/`

async function perMinute(count: number, one: () => Promise<void>): Promise<number> {
  let left = count
  const begun = performance.now()
  const work = async () => {
    for (; left > 0; ) {
      left -= 1
      await one()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return (count * 60_000) / (performance.now() - begun)
}

const config = readConfig({ BROWSER_NO_SANDBOX: process.getuid?.() === 0 ? '1' : '0' })
const guard = new PageGuard({ resolver: { resolve: async () => [] }, ports: [port], allow: [`${SITE}/32`] })
const open = (): ChromiumEngine => chromiumEngine({ guard, config, ids: randomIds(), log: silentLog })
const options = { viewport: { width: 1280, height: 800 }, block: ['font', 'media'] } as const
const scrapeWith = (engine: ChromiumEngine) => async () => {
  await using page = await engine.open(options)
  await page.navigate(url, 'load', 30_000)
  await page.extract({ texts: ['markdown'], links: false, metadata: true, onlyMain: true, maxChars: 100_000 })
}
const bare = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  chromiumSandbox: config.browser.noSandbox !== '1',
})
const alone = async () => {
  const context = await bare.newContext({ viewport: options.viewport })
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'load' })
  await page.evaluate('document.body.innerText')
  await context.close()
}

const ours = open()
await scrapeWith(ours)()
await alone()
const ratios: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const mine = await perMinute(pages, scrapeWith(ours))
  const theirs = await perMinute(pages, alone)
  ratios.push(mine / theirs)
  say(`scrape ${mine.toFixed(0)} pages a minute, playwright-core alone ${theirs.toFixed(0)}`)
}
await ours[Symbol.asyncDispose]()
await bare.close()
say(`median of ${ROUNDS}: ${ratios.toSorted((a, b) => a - b)[ROUNDS >> 1]?.toFixed(2)}`)

await using lasting = open()
for (let done = 0; done <= MEMORY_PAGES; done += 1) {
  await scrapeWith(lasting)()
  if (done % 20 !== 0) continue
  const [browser, process_] = [await lasting.residentBytes(), process.memoryUsage().rss]
  say(
    `after ${done} pages: Chromium ${(browser / MIB).toFixed(0)} MiB, this process ${(process_ / MIB).toFixed(0)} MiB`,
  )
}
site.close()
site.closeAllConnections()
