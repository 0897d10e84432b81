import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ChromiumScene, chromiumScene, descendants, withChromium } from './chromium-scene.ts'

const html = (body: string, head = '') =>
  `<!doctype html><head>${head}</head><body><h1>Here</h1>${body}</body>`
const AWAY = 'http://away.test:PORT/taken'
const script = (text: string) => html(`<script>${text}</script>`)

/** Ways out of a domain that a page takes by itself, as it is opened. */
const LEAVING: Readonly<Record<string, string>> = {
  'a refresh': html('', `<meta http-equiv="refresh" content="0;url=${AWAY}">`),
  'a script': script(`location.href = '${AWAY}'`),
  'a script that replaces the page': script(`location.replace('${AWAY}')`),
  'a form that sends itself off': html(
    `<form action="${AWAY}" method="post"><input name="a" value="b"></form><script>document.forms[0].submit()</script>`,
  ),
  'a frame that moves the page': html(`<iframe srcdoc="<script>top.location = '${AWAY}'</script>"></iframe>`),
  'an address of the page that redirects': script(`location.href = '/to-302'`),
}

const HOPS = [301, 302, 303, 307, 308]

withChromium('a page of the agent stays in its domains', () => {
  let scene: ChromiumScene
  beforeAll(async () => {
    scene = await chromiumScene()
    const { answers, pages } = scene.site
    for (const status of HOPS)
      answers.set(`/to-${status}`, (to, port) =>
        to.writeHead(status, { location: `http://away.test:${port}/taken` }).end(),
      )
    answers.set('/twice', (to) => to.writeHead(302, { location: '/to-302' }).end())
    answers.set('/home', (to, port) =>
      to.writeHead(302, { location: `http://www.shop.test:${port}/plain` }).end(),
    )
    pages.set('/mover', '<script>setTimeout(() => { top.location = "/taken" }, 50)</script>')
  })
  afterAll(async () => scene[Symbol.asyncDispose]())

  const agent = (body: object) => scene.ask('agent', body)
  const taken = () => scene.site.asked.filter((each) => each.startsWith('away.test/taken')).length
  const BLOCKED = { ok: false, status: 'blocked' }

  const NOTHING_SEEN = ['session_id', 'snapshot', 'final_url', 'answer']

  test.each([...HOPS.map((status) => `/to-${status}`), '/twice'])(
    'the redirect %s is blocked, and its target is not asked',
    async (path) => {
      const { status, body } = await agent({ url: scene.url(path), mode: 'observe' })
      const blocked = [{ url: scene.url('/taken', 'away.test'), reason: 'domain' }]
      expect([status, body]).toMatchObject([200, { ...BLOCKED, blocked }])
      for (const field of NOTHING_SEEN) expect(body).not.toHaveProperty(field)
      expect(taken()).toBe(0)
    },
  )

  test('a run that is redirected away ends before the model is asked', async () => {
    scene.plan({ type: 'done', answer: 'read' })
    const { body } = await agent({ url: scene.url('/to-302'), mode: 'run', goal: 'read it' })
    expect(body).toMatchObject(BLOCKED)
    for (const field of NOTHING_SEEN) expect(body).not.toHaveProperty(field)
    expect([scene.model.seen.length, taken()]).toEqual([0, 0])
  })

  test('a step that is redirected away ends its session', async () => {
    const start = await agent({ url: scene.url('/plain'), mode: 'observe', allowed_domains: ['shop.test'] })
    const { session_id: session } = start.body as { session_id: string }
    const action = { type: 'navigate', url: scene.url('/to-302') }
    const { body } = await agent({ session_id: session, mode: 'act', action })
    expect(body).toMatchObject({ ...BLOCKED, steps: [{ outcome: 'blocked' }] })
    expect((await agent({ session_id: session, mode: 'observe' })).status).toBe(404)
    expect(taken()).toBe(0)
  })

  test.each(Object.entries(LEAVING))('%s leads nowhere, and the session ends', async (_name, page) => {
    scene.site.pages.set('/leaving', page)
    const first = await agent({ url: scene.url('/leaving'), mode: 'observe' })
    const { session_id: session } = first.body as { session_id?: string }
    let body = first.body
    // A page may begin to leave after it was seen: the next look finds it.
    if (session !== undefined)
      ({ body } = await agent({ session_id: session, mode: 'act', action: { type: 'wait', ms: 500 } }))
    expect(body).toMatchObject(BLOCKED)
    expect(body).not.toHaveProperty('session_id')
    expect(taken()).toBe(0)
  })

  test.each([
    [
      'a frame of another site, which Chromium lets move no page',
      html('<iframe src="http://away.test:PORT/mover"></iframe>'),
    ],
    ['window.open', script(`open('${AWAY}')`)],
    ['a new window that moves', script(`const other = open('about:blank'); other.location = '${AWAY}'`)],
    [
      'a link in a new window',
      html(`<a target="_blank" href="${AWAY}">x</a><script>document.links[0].click()</script>`),
    ],
  ])('%s is stopped before it asks anybody, and the page stays', async (_name, page) => {
    scene.site.pages.set('/opening', page)
    const { body } = await agent({ url: scene.url('/opening'), mode: 'observe' })
    expect(body).toMatchObject({ ok: true, snapshot: expect.stringContaining('Here') })
    expect(taken()).toBe(0)
  })

  test('an address that a script changes within the domain is no way out', async () => {
    scene.site.pages.set('/history', script(`history.pushState(null, '', '/other?x=1')`))
    const { body } = await agent({ url: scene.url('/history'), mode: 'observe' })
    expect(body).toMatchObject({ ok: true, final_url: scene.url('/other?x=1') })
  })

  test('images, scripts and frames of other sites are loaded', async () => {
    scene.site.answers.set('/part.js', (to) =>
      to.end(`document.body.append('by a script of the other site')`),
    )
    scene.site.pages.set('/framed', html('<p>in a frame</p>'))
    const other = 'http://away.test:PORT'
    const body = `<script src="${other}/part.js"></script><img src="${other}/image"><iframe src="${other}/framed"></iframe>`
    scene.site.pages.set('/parts', html(body))
    const seen = await agent({ url: scene.url('/parts'), mode: 'observe' })
    expect(seen.body).toMatchObject({
      ok: true,
      snapshot: expect.stringContaining('by a script of the other site'),
    })
    expect(seen.body).not.toHaveProperty('blocked')
    for (const path of ['/part.js', '/image', '/framed'])
      expect(scene.site.asked).toContain(`away.test${path}`)
  })

  test('a redirect within the domain is followed', async () => {
    const home = await agent({ url: scene.url('/home'), mode: 'observe' })
    expect(home.body).toMatchObject({ ok: true, final_url: scene.url('/plain', 'www.shop.test') })
  })

  test.each([
    ['404 without a body', 404, {}, ''],
    ['500 without a body', 500, {}, ''],
    ['401 without a body', 401, {}, ''],
    ['401 that asks for a password, without a body', 401, { 'www-authenticate': 'Basic realm="x"' }, ''],
    ['401 that asks for a password', 401, { 'www-authenticate': 'Basic realm="x"' }, '<p>Members only</p>'],
    ['403 with a body', 403, {}, '<p>Members only</p>'],
  ])('a page that answers %s is brought with its status', async (_name, status, headers, text) => {
    scene.site.answers.set('/error', (to) =>
      to
        .writeHead(status, { 'content-type': 'text/html', 'content-length': text.length, ...headers })
        .end(text),
    )
    const url = scene.url('/error')
    const { body } = await scene.ask('scrape', { url, formats: ['text'] })
    expect(body).toMatchObject({ ok: true, status, final_url: url, text: text === '' ? '' : 'Members only' })
    expect((await agent({ url, mode: 'observe' })).body).toMatchObject({ ok: true, url })
  })

  test('what Playwright turns off in Chromium stays off, since the last list alone counts', () => {
    const lists = descendants()
      .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))
      .map((words) => words.filter((word) => word.startsWith('--disable-features=')))
      .filter((found) => found.length > 1)
    expect(lists.length).toBeGreaterThan(0)
    for (const found of lists) {
      const last = found.at(-1)?.split(/[=,]/)
      expect(last).toEqual(expect.arrayContaining(found.flatMap((list) => list.split(/[=,]/))))
      expect(last).toContain('AutofillServerCommunication')
    }
  })
})
