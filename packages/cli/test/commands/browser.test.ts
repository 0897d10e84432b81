import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { CliBench } from '../support/cli-bench.ts'

const SHOP = 'https://www.example.com/'

describe('svc browser', () => {
  let bench: CliBench
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-browser-'))
    bench = await CliBench.open()
    bench.browser.pages.set(SHOP, {
      title: 'Shop',
      text: '# Plans\n\u001b[31mred',
      tree: '- button "Buy" [ref=e1]',
    })
  })
  afterEach(async () => {
    await bench[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  it('issues a token, shows it once, lists and revokes it', async () => {
    const issued = await bench.run('browser', 'tokens', 'issue', '--label', 'crawler', '--daily', '7')
    const secret = /^token {2}(svcb_[\w-]{43})$/m.exec(issued.out.text)?.[1] ?? ''
    expect(await bench.plane.browserTokens.authenticate(secret)).toMatchObject({ isStored: true })
    const listed = await bench.run('browser', 'tokens', 'list')
    expect(listed.out.text).toMatch(/^brt_\w+ +crawler +- +7 /m)
    expect(listed.out.text).not.toContain(secret)
    const { tokens } = (await bench.json('browser', 'tokens', 'list')) as {
      tokens: readonly { id: string }[]
    }
    const id = tokens[0]?.id ?? ''
    expect((await bench.run('browser', 'tokens', 'revoke', id)).out.text).toBe(`${id} is revoked\n`)
    expect((await bench.run('browser', 'tokens', 'revoke', id)).exitCode).toBe(5)
    expect(await bench.plane.browserTokens.authenticate(secret)).toBeUndefined()
  })

  it('brings a page as Markdown that does not command the terminal, or into a file', async () => {
    const { out } = await bench.run('browser', 'scrape', SHOP)
    expect(out.text).toContain('# Plans')
    expect(out.text).not.toContain('\u001b')
    const file = join(folder, 'page.md')
    expect((await bench.run('browser', 'scrape', SHOP, '-o', file)).out.text).toBe('')
    const nowhere = await bench.run('browser', 'scrape', SHOP, '-o', join(folder, 'gone', 'shop.md'))
    expect([nowhere.exitCode, nowhere.err.text]).toEqual([
      2,
      expect.stringContaining('cannot be written (ENOENT)'),
    ])
    expect(await readFile(file, 'utf8')).toContain('# Plans')
    expect((await bench.run('browser', 'scrape', SHOP, '--format', 'screenshot')).exitCode).toBe(2)
  })

  it('says why a page is not brought', async () => {
    const refused = await bench.run('browser', 'scrape', 'http://10.0.0.5/')
    expect([refused.exitCode, refused.err.text]).toEqual([4, expect.stringContaining('private_address')])
    bench.browser.lack = 'there is no Chromium'
    const none = await bench.run('browser', 'scrape', SHOP)
    expect([none.exitCode, none.err.text]).toEqual([2, expect.stringContaining('there is no Chromium')])
  })

  it('runs the agent, and ends with 1 when the goal was not reached', async () => {
    const schema = join(folder, 'schema.json')
    await writeFile(schema, '{"type":"object","required":["price"]}')
    const reached = await bench.run('browser', 'run', 'the price', '--page', SHOP, '--schema-file', schema)
    expect([reached.exitCode, reached.out.text]).toEqual([0, expect.stringContaining('12 EUR')])
    await writeFile(schema, '{"type":"array"}')
    const missed = await bench.run('browser', 'run', 'the price', '--page', SHOP, '--schema-file', schema)
    expect([missed.exitCode, missed.out.text]).toEqual([1, expect.stringContaining('status  failed')])
    const bad = await bench.run(
      'browser',
      'run',
      'the price',
      '--page',
      SHOP,
      '--schema-file',
      join(folder, 'none'),
    )
    expect(bad.exitCode).toBe(2)
  })

  it('shows what was done', async () => {
    await bench.run('browser', 'scrape', SHOP)
    const { out } = await bench.run('browser', 'runs')
    expect(out.text).toMatch(/^brs_\w+ +scrape +www\.example\.com +completed /m)
    expect(out.text).not.toContain('Plans')
  })
})
