import { describe, expect, it } from '@jest/globals'
import { FakeClock, FakeTimers } from '@svc/testing'
import { cdnOf } from '../../../src/outside/scan/cdn-ranges.ts'
import { certificateNames, namesIn } from '../../../src/outside/scan/certificate-names.ts'
import { isExposed } from '../../../src/outside/scan/exposed-files.ts'
import { FILE_PROBES } from '../../../src/outside/scan/file-probes.ts'
import { headerFindings, seenSite } from '../../../src/outside/scan/fingerprint.ts'
import { REQUESTS_PER_HOST } from '../../../src/outside/scan/host-web.ts'
import { iconDigest, murmur3 } from '../../../src/outside/scan/murmur3.ts'
import { Pace } from '../../../src/outside/scan/pacing.ts'
import { isAlike, shapeOf } from '../../../src/outside/scan/page-shape.ts'
import { portFinding } from '../../../src/outside/scan/port-findings.ts'
import { DEFAULT_PORTS, portsOf, TOP_PORTS } from '../../../src/outside/scan/port-lists.ts'
import { danglingProvider } from '../../../src/outside/scan/takeover.ts'
import { tlsFindings } from '../../../src/outside/scan/tls-facts.ts'
import { evidenceOf, shownText } from '../../../src/watch/surface/surface-finding.ts'
import { provingDomains, readTargetDomain } from '../../../src/watch/surface/surface-target.ts'

const answer = (body: string, headers: Record<string, string> = {}, status = 200) => ({
  ok: true as const,
  status,
  headers: new Headers(headers),
  body: Buffer.from(body, 'latin1'),
})
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const signal = new AbortController().signal

describe('a domain', () => {
  it.each([
    ['shop.example', 'shop.example'],
    ['WWW.Shop.Example.', 'www.shop.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['ann.github.io', 'ann.github.io'],
    ['co.uk', undefined],
    ['github.io', undefined],
    ['localhost', undefined],
    ['printer.local', undefined],
    ['db.internal', undefined],
    ['1.0.10.in-addr.arpa', undefined],
    ['internal.shop.example', 'internal.shop.example'],
    ['example', undefined],
    ['10.0.0.1', undefined],
    ['0x7f.1', undefined],
    ['[::1]', undefined],
    ['*.shop.example', undefined],
    ['shop..example', undefined],
    ['shop.example/path', undefined],
    ['ann@shop.example', undefined],
    [`${'a'.repeat(64)}.example`, undefined],
  ])('%s is read as %s', (given, expected) => {
    expect(readTargetDomain(given)).toBe(expected)
  })

  it('is proven at its parents up to the registered one, and not above', () => {
    expect(provingDomains('a.b.shop.co.uk')).toEqual(['a.b.shop.co.uk', 'b.shop.co.uk', 'shop.co.uk'])
    expect(provingDomains('x.ann.github.io')).toEqual(['x.ann.github.io', 'ann.github.io'])
  })
})

describe('the ports of an address', () => {
  it('are all of a list for an attested one, and web ports for every other', () => {
    expect(portsOf('default', { attested: true, cdn: null })).toEqual(DEFAULT_PORTS)
    expect(portsOf([80, 80, 22], { attested: true, cdn: null })).toEqual([80, 22])
    for (const asked of ['default', 'top100'] as const)
      expect(portsOf(asked, { attested: false, cdn: null })).toEqual([80, 443])
    expect(portsOf([22, 443], { attested: true, cdn: 'fastly' })).toEqual([443])
    expect(portsOf([22], { attested: false, cdn: null })).toEqual([])
    expect([new Set(TOP_PORTS).size, new Set(DEFAULT_PORTS).size]).toEqual([100, DEFAULT_PORTS.length])
  })

  it('a network in front of many is told by its published ranges', () => {
    expect(['104.16.0.1', '2606:4700::1', '151.101.1.1', '13.224.0.9'].map(cdnOf)).toEqual([
      'cloudflare',
      'cloudflare',
      'fastly',
      'cloudfront',
    ])
    expect(['11.22.33.44', '2600:1::1', 'nonsense'].map(cdnOf)).toEqual([null, null, null])
  })
})

describe('a pace', () => {
  it('lets so many begin in any second, and no more', async () => {
    const timers = new FakeTimers(new FakeClock())
    const pace = new Pace(timers, 3)
    const begun: number[] = []
    const turns = Array.from({ length: 7 }, async () => {
      await pace.turn(signal)
      begun.push(timers.elapsedMs())
    })
    const start = timers.elapsedMs()
    for (let tenths = 0; tenths < 25; tenths += 1) await timers.advance(100)
    await Promise.all(turns)
    expect(begun.map((at) => Math.floor((at - start) / 1000))).toEqual([0, 0, 0, 1, 1, 1, 2])
  })
})

describe('an exposed file', () => {
  const probe = (path: string) => FILE_PROBES.find((each) => each.path === path) ?? FILE_PROBES[0]
  const exposed = (
    path: string,
    given: ReturnType<typeof answer>,
    ...baseline: ReturnType<typeof answer>[]
  ) => {
    const found = probe(path)
    if (found?.path !== path) throw new Error(`there is no probe for ${path}`)
    return isExposed(found, given, baseline.map(shapeOf))
  }

  it.each([
    ['/.git/config', '[core]\n\tbare = false'],
    ['/.git/HEAD', 'ref: refs/heads/main\n'],
    ['/.env', 'A_KEY=1\nB_KEY=2\n'],
    ['/.env', '# comment\nexport A_KEY=1\n\nBB=2'],
    ['/.aws/credentials', '[default]\naws_access_key_id = x'],
    ['/.git/config', '\n\t[core]'],
    ['/config.php.bak', '<?php <?php\n$password = 1;'],
    ['/id_rsa', `-----BEGIN ${'RSA '}PRIVATE KEY-----\n`],
    ['/wp-config.php.bak', "<?php define('DB_PASSWORD', 'x');"],
    ['/.svn/wc.db', 'SQLite format 3\u0000'],
    ['/backup.zip', 'PK\u0003\u0004rest'],
    ['/dump.sql', '-- MySQL dump 10.13'],
    ['/.DS_Store', '\u0000\u0000\u0000\u0001Bud1'],
    ['/terraform.tfstate', '{"version": 4, "terraform_version": "1.6"}'],
  ])('%s is told by its content', (path, body) => {
    expect(exposed(path, answer(body))).toBe(true)
    expect(exposed(path, answer(body, {}, 403))).toBe(false)
    expect(exposed(path, answer(body, HTML), answer(body, HTML))).toBe(false)
    const page = `<!doctype html><html><body>${body}</body></html>`
    expect(exposed(path, answer(page, HTML))).toBe(false)
  })

  it.each([
    ['/.env', 'A_KEY=1\n'],
    ['/.env', 'nothing here'],
    ['/.git/config', 'the [core] of the matter'.replace('the ', 'in the ')],
    ['/server-status', 'Apache Server Status'],
    ['/phpinfo.php', '<html><title>Not found</title></html>'],
  ])('%s is not that of %j', (path, body) => {
    expect(exposed(path, answer(body))).toBe(false)
  })

  it('pages are told by their title, and have to be pages', () => {
    expect(exposed('/server-status', answer('<html><h1>Apache Server Status for x</h1></html>', HTML))).toBe(
      true,
    )
    expect(exposed('/backup/', answer('<html><title>Index of /backup/</title></html>', HTML))).toBe(true)
    expect(exposed('/backup/', answer('<html><title>Index of /other</title></html>', HTML))).toBe(false)
  })

  it('partial content counts for files of which the beginning is asked for', () => {
    expect(exposed('/backup.zip', answer('PK\u0003\u0004', {}, 206))).toBe(true)
    expect(exposed('/.env', answer('A_KEY=1\nB_KEY=2\n', {}, 206))).toBe(false)
  })

  it('the probes leave room for the other requests to a host', () => {
    expect(FILE_PROBES.length + 2 + 2 + 2 + 12).toBeLessThanOrEqual(REQUESTS_PER_HOST)
  })
})

describe('two pages', () => {
  const page = (words: string, more = '') => shapeOf(answer(`<p>${words}</p>${more}`, HTML))
  const long = 'the index page of a shop with many words in it '.repeat(20)

  it('are alike if they differ in what changes at each request', () => {
    expect(isAlike(page(long, '<!-- a1 -->'), page(long, '<!-- b2 -->'))).toBe(true)
  })
  it('are not alike with another status, type, length or content', () => {
    expect(isAlike(page(long), { ...page(long), status: 404 })).toBe(false)
    expect(isAlike(page(long), { ...page(long), type: 'text/plain' })).toBe(false)
    expect(isAlike(page(long), page(long + long))).toBe(false)
    expect(isAlike(page(long), page('completely different texts about gardening tools '.repeat(19)))).toBe(
      false,
    )
  })
})

describe('what is shown of an answer', () => {
  it.each([
    ['APP_KEY=hunter2', 'APP_KEY=…'],
    ['[default]\naws_secret_access_key = hunter2', '[default] aws_secret_access_key = …'],
    ['{"password": "hunter2"}', '{"password": …'],
    ['url https://ann:hunter2@git.example/', 'url https://…@git.example/'],
    ['\u001b[31mred\u0007', '[31mred'],
    ['x'.repeat(500), 'x'.repeat(64)],
  ])('%j is shown as %j', (given, shown) => {
    expect(evidenceOf(given)).toBe(shown)
  })
  it('controls and overrides of direction are left out', () => {
    expect(shownText('a\u0000b\u202ec\nd', 10)).toBe('a b c d')
  })
})

describe('names of certificates', () => {
  it.each([
    ['a.shop.example', ['a.shop.example']],
    ['*.shop.example', ['shop.example']],
    ['*.shop.example\\nb.shop.example', ['shop.example', 'b.shop.example']],
    ['XN--BCHER-KVA.shop.example', ['xn--bcher-kva.shop.example']],
    ['evil.com', []],
    ['evilshop.example', []],
    ['shop.example.evil.com', []],
    ['../shop.example', []],
    ['a/../shop.example', []],
    ['ann@shop.example', []],
    ['-a.shop.example', []],
    ['a_b.shop.example', []],
    [`${'a'.repeat(250)}.shop.example`, []],
    ['a..shop.example', []],
  ])('of %j are %j', (text, expected) => {
    expect(certificateNames(text, 'shop.example')).toEqual(expected)
  })

  async function* inPieces(text: string, size: number) {
    for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
  }

  it('are read as they come, however they are cut, up to a limit', async () => {
    const rows = Array.from({ length: 10_000 }, (_, n) => ({ id: n, name_value: `h${n}.shop.example` }))
    const found = await namesIn(inPieces(JSON.stringify(rows), 4096), 'shop.example')
    expect(found).toHaveLength(1000)
    const few = JSON.stringify(rows.slice(0, 20))
    for (const size of [1, 7, 64]) expect(await namesIn(inPieces(few, size), 'shop.example')).toHaveLength(20)
  })

  it('what is no list has none, and what never ends is not kept', async () => {
    for (const text of ['<html>', '{"error":1}', '', '   '])
      expect(await namesIn(inPieces(text, 3), 'shop.example')).toBe('no list of certificates')
    expect(await namesIn(inPieces(`["${'x'.repeat(300_000)}`, 65_536), 'shop.example')).toEqual([])
  })
})

describe('the fingerprint of a page', () => {
  it('names server and software, with versions where they are shown', () => {
    const headers = {
      server: 'nginx/1.25.3',
      'x-powered-by': 'PHP/8.2.1',
      'set-cookie': 'PHPSESSID=x; Path=/',
    }
    const page =
      '<title> Shop\n</title><meta name="generator" content="WordPress 6.5"><script src="/wp-includes/x.js">'
    const site = seenSite('https://shop.example/', answer(page, headers))
    expect(site).toMatchObject({
      server: 'nginx/1.25.3',
      title: 'Shop',
      tech: ['nginx 1.25.3', 'PHP 8.2.1', 'WordPress 6.5'],
    })
    expect(headerFindings('shop.example', site).map(({ id }) => id)).toEqual([
      'missing-hsts',
      'missing-csp',
      'missing-nosniff',
    ])
    const plain = seenSite('http://shop.example/', answer(page, { 'content-security-policy': 'x' }))
    expect(headerFindings('shop.example', plain).map(({ id }) => id)).toEqual(['missing-nosniff'])
    expect(headerFindings('shop.example', { ...plain, status: 404 })).toEqual([])
  })

  it('the digest of an icon is that of others', () => {
    expect([
      murmur3(Buffer.from('hello')),
      murmur3(Buffer.from('')),
      murmur3(Buffer.from('The quick brown fox jumps over the lazy dog')),
    ]).toEqual([0x248bfa47, 0, 0x2e4ff723])
    expect(Number.isInteger(iconDigest(Buffer.alloc(300, 7)))).toBe(true)
  })

  it('hostile pages take little time', () => {
    const began = performance.now()
    for (const body of [
      '<title'.repeat(40_000),
      '<meta name=generator '.repeat(10_000),
      '<script src='.repeat(20_000),
    ])
      seenSite('https://a.example/', answer(body))
    expect(performance.now() - began).toBeLessThan(2000)
  })
})

describe('findings', () => {
  const seen = (service: string, said = '') => ({ service, said, banner: undefined, tls: undefined })

  it.each([
    ['redis', '+PONG\r\n', 'exposed-redis', 'high'],
    ['redis', '-NOAUTH Authentication required.', 'public-database', 'medium'],
    ['docker', 'HTTP/1.1 200 OK\r\n\r\n{"ApiVersion":"1.43"}', 'exposed-docker', 'high'],
    ['elasticsearch', 'HTTP/1.1 200 OK\r\n\r\n{"cluster_name" : "a"', 'exposed-elasticsearch', 'high'],
    ['elasticsearch', 'HTTP/1.1 401 Unauthorized', 'public-database', 'medium'],
    ['etcd', 'HTTP/1.1 200 OK\r\n\r\n{"etcdserver":"3.5"}', 'exposed-etcd', 'high'],
    ['kubelet', 'HTTP/1.1 200 OK\r\n\r\n{"kind":"PodList"', 'exposed-kubelet', 'high'],
    ['kubelet', 'HTTP/1.1 401 Unauthorized', undefined, undefined],
    ['rdp', '', 'public-remote-desktop', 'medium'],
    ['smb', '', 'public-file-share', 'medium'],
    ['telnet', '', 'public-telnet', 'medium'],
    ['ssh', 'SSH-2.0-x', undefined, undefined],
  ])('about %s that said %j: %s', (service, said, id, severity) => {
    const found = portFinding('a.example', 1, seen(service, said))
    expect([found?.id, found?.severity]).toEqual([id, severity])
  })

  it('about certificates come fourteen days before the end', () => {
    const at = new Date('2026-11-27T00:00:00Z')
    const facts = (days: number) => ({
      ...{ protocol: 'TLSv1.3', issuer: 'x', names: ['a.example'], named: true, valid: true },
      not_after: at.getTime() / 1000 + days * 86_400,
    })
    const of = (days: number) =>
      tlsFindings(facts(days), { host: 'a.example', port: 443, now: at }).map(({ id }) => id)
    expect([of(15), of(14), of(13.9), of(0)]).toEqual([[], [], ['tls-expiring'], ['tls-expired']])
  })

  it('about aliases need a known service, and its words where it has an address', () => {
    const says = "<h1>404</h1><p>There isn't a GitHub Pages site here.</p>"
    expect(danglingProvider('ann.github.io', says)).toBe('GitHub Pages')
    expect(danglingProvider('ann.github.io', 'hello')).toBeUndefined()
    expect(danglingProvider('shop.azurewebsites.net', undefined)).toBe('Azure')
    expect(danglingProvider('shop.azurewebsites.net', 'hello')).toBeUndefined()
    expect(danglingProvider('elsewhere.example', undefined)).toBeUndefined()
    expect(danglingProvider('github.io.evil.example', says)).toBeUndefined()
  })
})
