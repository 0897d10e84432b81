// Texts of hosts, agents, repositories and visitors on every page that shows them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ConsoleFleet, consoleFleet } from '../../../../test/support/console-fleet.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { coloured } from '../../src/console/ansi.ts'
import { facts, type Row, shown } from '../../src/console/cells.ts'
import { html, tame } from '../../src/console/html.ts'
import { Links } from '../../src/console/links.ts'
import { type Visitor, visitorOf } from './console-client.ts'

/** Ends an attribute, a tag, a comment and a script, and turns the direction of what follows. */
const NASTY = `"'><script>alert(1)</script><!--\u202e\u0000\u0007\u009b`

describe('a hostile text', () => {
  let served: Mounted
  let fleet: ConsoleFleet
  let visitor: Visitor
  beforeAll(async () => {
    served = await mounted()
    fleet = await consoleFleet(served, NASTY)
    visitor = visitorOf(served, (await served.plane.sessions.mint(fleet.admin)).cookie)
  }, 60_000)
  afterAll(async () => served[Symbol.asyncDispose]())

  it.each([
    'hosts',
    `hosts/agt_0002-fingerp`,
    'jobs',
    'jobs/{failed}',
    'alerts',
    'licenses',
    'licenses/{acme}',
    'tenants',
    'audit',
    'monitors',
    'git-hooks',
    `jobs?app=${encodeURIComponent(NASTY.replaceAll('\u0000', ''))}`,
    `do/jobs.enqueue?license=${encodeURIComponent(NASTY)}`,
    `do/jobs.enqueue?back=${encodeURIComponent('javascript:alert(1)')}`,
    `sign-in?next=${encodeURIComponent(NASTY)}`,
  ])('is a text on %s', async (pattern) => {
    const path = pattern.replace('{failed}', fleet.jobs.failed).replace('{acme}', fleet.licenses.acme)
    const { text, page } = await visitor.get(path)
    expect(text.match(/<script\b[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script src="[./]+assets\/idiomorph-\w+\.js" defer>$/),
      expect.stringMatching(/^<script src="[./]+assets\/console-\w+\.js" type="module">$/),
    ])
    expect(text).not.toMatch(/<!--|[^\P{Cc}\n\t]|\p{Bidi_Control}/u)
    for (const element of page.querySelectorAll('*')) {
      for (const [name, value] of Object.entries(element.attributes)) {
        expect(name).not.toMatch(/^on|^style$/)
        if (name === 'href' || name === 'action')
          expect(value).not.toMatch(/^\s*(?:javascript|data|vbscript):/i)
      }
    }
  })

  it('is shown where it stands: on the pages of the job, the host and the license', async () => {
    for (const path of [`jobs/${fleet.jobs.failed}`, 'hosts', `licenses/${fleet.licenses.acme}`]) {
      const { page } = await visitor.get(path)
      expect(page.querySelector('main')?.textContent).toContain('<script>alert(1)')
    }
  })
})

describe('a document whose fields nobody declared', () => {
  const place = { links: new Links('jobs'), now: 0 }

  it.each([
    '{"valueOf":1}',
    '{"__proto__":{"a":1}}',
    '{"constructor":1,"hasOwnProperty":2}',
    '{"state":{"toString":1},"id":{"toString":1},"created_at":{"valueOf":1}}',
    '{"a":[1,{"toString":2}],"b":null,"c":"","d":[]}',
    `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
    JSON.stringify({ rows: Array.from({ length: 900 }, (_, at) => ({ [`key${at}`]: at })) }),
    JSON.stringify({ url: 'javascript:alert(1)', size_bytes: 'abc', at: 1e300, last_at: 'never' }),
  ])('is shown within bounds: %.60s', (text) => {
    const row = JSON.parse(text) as Row
    const whole = String(html`${facts(row, place)}`)
    expect(whole.length).toBeLessThan(1_000_000)
    expect(whole).not.toMatch(/\[object |native code|href="javascript/)
    const payload = String(html`${shown('payload', row, place)}`)
    expect(payload.length).toBeLessThan(150_000)
    expect(payload).toContain('<pre ')
  })
})

describe('the template', () => {
  it('escapes texts once, at every depth, and keeps what is a page already', () => {
    const inner = html`<b>${'<'}</b>`
    expect(String(html`${[inner, '&', [inner]]}${undefined}${false}${0}`)).toBe(
      '<b>&lt;</b>&amp;<b>&lt;</b>0',
    )
  })

  it('tames what would disguise a text', () => {
    expect(tame('a\u0000b\u001bc\u202ed\u2066e\tf\ng\u0085')).toBe('a·b·c·d·e\tf\ng·')
  })
})

describe('a line with colours', () => {
  it.each([
    ['\u001b[31mred\u001b[0m plain', '<span class="red">red</span> plain'],
    [
      '\u001b[1;32mbold\u001b[22m green',
      '<span class="green bold">bold</span><span class="green"> green</span>',
    ],
    ['\u001b[91mbright\u001b[39m', '<span class="red">bright</span>'],
    ['\u001b[38;5;196mpalette', 'palette'],
    ['\u001b[8mhidden\u001b[28m', 'hidden'],
    ['\u001b[2K\u001b[1Aup', 'up'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;https://evil.example\u001b\\link', 'link'],
    ['\u001b[31', '·[31'],
    ['<b>', '&lt;b&gt;'],
    ['\u001b[31m<i>', '<span class="red">&lt;i&gt;</span>'],
  ])('%j', (line, expected) => {
    expect(String(coloured(line))).toBe(expected)
  })
})
