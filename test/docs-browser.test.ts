// docs/browser.md, command by command, with Chromium, against a site and a language model on loopback.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { withChromium } from '../packages/cli/test/browser/chromium-scene.ts'
import { openSite, SITE_ADDRESS, type Site } from '../packages/cli/test/browser/site.ts'
import { SvcProcess } from '../packages/cli/test/support/svc-process.ts'
import { readPage, root } from './docs/page.ts'
import { Reader } from './docs/reader.ts'
import { type ModelServer, modelServer, saying } from './support/model-server.ts'

const PAGE = 'docs/browser.md'
const FIVE_MINUTES_MS = 300_000
const { blocks, prose } = readPage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
const ofLanguage = (wanted: string) =>
  blocks.filter(({ language }) => language === wanted).map(({ text }) => text)
const [scrape = '', agent = ''] = ofLanguage('sh')
/** A command and its output, from a block that shows both. */
const shown = ofLanguage('console').map((text) => {
  const [command = '', ...lines] = text.split('\n')
  return { command: command.replace(/^\$ /, ''), lines }
})
const [doctor, issue] = shown
/** The commands for operators, which stand in sentences. */
const inSentences = [...prose.join('\n').matchAll(/`(svc browser (?:scrape|run) [^`]+)`/g)].map(
  ([, command = '']) => command,
)

const SHOP = `<!doctype html><title>Shop</title><main><h1>Plans</h1><p>The cheapest plan costs 12 EUR.</p>
  <p>${'It is good. '.repeat(40)}</p><a href="/plain">All plans</a></main>`

withChromium('the page about the browser worker', () => {
  let reader: Reader
  let site: Site
  let model: ModelServer
  let service: SvcProcess
  let env: Readonly<Record<string, string>>
  /** Variables of a program that calls the service. */
  let caller: Readonly<Record<string, string>>

  beforeAll(async () => {
    reader = new Reader('browser')
    site = await openSite(0)
    site.pages.set('/', SHOP)
    model = await modelServer()
    env = {
      SERVICE_OUTBOUND_ALLOW: `${SITE_ADDRESS}/32`,
      BROWSER_ALLOWED_PORTS: String(site.port),
      BROWSER_NO_SANDBOX: process.getuid?.() === 0 ? '1' : '0',
      LLM_API_KEY: 'a-key-of-the-model',
      LLM_BASE_URL: model.url,
    }
    const args = ['serve', '--port', '0', '--data-dir', '.svc']
    service = new SvcProcess(args, { cwd: reader.folder, env })
    caller = { SERVICE_URL: await service.serving() }
  }, FIVE_MINUTES_MS)
  afterAll(async () => {
    service.kill('SIGTERM')
    await service.end()
    await Promise.all([service, site, model].map((each) => each[Symbol.asyncDispose]()))
    reader[Symbol.dispose]()
  })

  /** Runs a text of the page, whose example of a site is the site of this suite. */
  async function run(text: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    expect(text).toMatch(/https:\/\/www\.example\.com\/?|svc browser (?:doctor|tokens|runs)/)
    const own = text.replace(/https:\/\/www\.example\.com\/?/g, `http://${SITE_ADDRESS}:${site.port}/`)
    return (await reader.follow(own, { ...env, ...more })).out
  }

  test(
    'leads from Chromium to a goal that was reached, and each command prints what the page shows',
    async () => {
      // How many addresses the page asks for depends on the machine.
      const counted = (lines: string) =>
        lines.trimEnd().replace(/refused [1-9]\d* addresses/, 'refused some addresses')
      expect(counted(await run(doctor?.command ?? ''))).toBe(counted(doctor?.lines.join('\n') ?? ''))

      const issued = await run(`${issue?.command} 2>&1`)
      const words = (lines: readonly string[]) => lines.map((line) => line.split(/\s{2,}/))
      const [head, row] = words(issue?.lines ?? [])
      const [ownHead, ownRow] = words(issued.split('\n'))
      expect([ownHead, ownRow?.slice(1)]).toEqual([head, row?.slice(1)])
      expect(issued).toContain(issue?.lines.at(-1))
      const [token = ''] = /svcb_\S+/.exec(issued) ?? []

      const page = JSON.parse(await run(scrape, { ...caller, BROWSER_TOKEN: token }))
      expect(page).toMatchObject({ ok: true, status: 200, blocked: [] })
      expect(page.markdown).toContain('The cheapest plan costs 12 EUR.')
      expect(page.links).toEqual([{ href: `http://${SITE_ADDRESS}:${site.port}/plain`, text: 'All plans' }])

      model.answer(saying(JSON.stringify({ type: 'done', answer: '12 EUR', result: { price: 12 } })))
      const reached = JSON.parse(await run(agent, { ...caller, BROWSER_TOKEN: token }))
      expect(reached).toMatchObject({ ok: true, status: 'completed', result: { price: 12 } })

      expect(inSentences).toHaveLength(2)
      const [byOperator = '', runByOperator = ''] = await Promise.all(inSentences.map((each) => run(each)))
      expect(byOperator).toContain('The cheapest plan costs 12 EUR.')
      expect(runByOperator).toContain('12 EUR')
      const runs = await run('svc browser runs')
      expect(runs).toMatch(/scrape .*completed|agent .*completed/)
      expect(runs).not.toContain('/plain')
    },
    FIVE_MINUTES_MS,
  )
})
