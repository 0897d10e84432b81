import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import { type Ended, FAR, inNamespaces, SurfaceRig, skipped } from './surface-rig.ts'

const TIMEOUT_MS = 60_000
const isHere = inNamespaces === test
const rule = (title: string, work: () => Promise<void>) =>
  inNamespaces(`${title}${skipped}`, work, TIMEOUT_MS)

let rig: SurfaceRig
let made = 0

beforeAll(async () => {
  if (isHere) rig = await SurfaceRig.open()
}, TIMEOUT_MS)
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]()
})

/** A license of its own, so that no test has addresses or domains of another. */
function license(): string {
  made += 1
  return `lic_${made}`
}

/** Proves a domain to a new license, with the addresses of names, and perhaps one of its heartbeats. */
async function owned(domain: string, names: Readonly<Record<string, readonly string[]>>, address?: string) {
  const licenseId = license()
  await rig.own(licenseId, domain, names)
  if (address !== undefined) await rig.plane.tell('heartbeat', { licenseId, address })
  return licenseId
}

const hostOf = ({ scan }: Ended, name: string) => scan.result.hosts.find((host) => host.name === name)
const portsOf = (ended: Ended, name: string) => (hostOf(ended, name)?.ports ?? []).map(({ port }) => port)
const ids = ({ scan }: Ended) => scan.result.findings.map(({ id }) => id).sort()
const skippedOf = ({ scan }: Ended) =>
  Object.fromEntries(scan.result.skipped.map((each) => [each.host, each.reason]))
const NOTHING = { loopback: 0, metadata: 0, private: 0, stranger: 0, cdn: 0 }

describe('scans of a far side with public addresses, by the rules of production', () => {
  rule(
    'nothing is scanned before the record is there, and the record of another license proves nothing',
    async () => {
      const [mine, other] = [license(), license()]
      await rig.zone({ 'proof.example': { A: [{ address: FAR.own }] } })
      const record = { type: 'TXT', name: '_svc-challenge.proof.example' }
      const value = expect.stringMatching(/^svc-site-verification=[\w-]{43}$/)
      const refused = { outcome: 'unproven', challenge: { ...record, value }, reason: 'no TXT record' }
      expect(await rig.surface('start', mine, { domain: 'proof.example' })).toEqual(refused)
      await rig.own(other, 'proof.example', {})
      const ofOther = await rig.surface('start', mine, { domain: 'proof.example' })
      expect(ofOther).toEqual({ ...refused, reason: 'the TXT record has another value' })
      expect((await rig.scan(other, 'proof.example', { checks: ['ports'] })).scan.state).toBe('done')
    },
  )

  rule('the record of a parent up to the registered domain proves what is below it', async () => {
    const licenseId = await owned('parent.example', { 'a.parent.example': [FAR.own] })
    expect((await rig.scan(licenseId, 'a.parent.example', { checks: ['ports'] })).scan.state).toBe('done')
  })

  rule(
    'open ports of an attested address are found, with what is behind them; closed ones are not',
    async () => {
      const licenseId = await owned('shop.example', { 'shop.example': [FAR.own] }, FAR.own)
      const ended = await rig.scan(licenseId, 'shop.example', { checks: ['ports'] })
      expect(ended.scan).toMatchObject({ state: 'done', progress: 1 })
      const tls = { protocol: 'TLSv1.3', names: ['shop.example'], valid: false }
      expect(hostOf(ended, 'shop.example')).toMatchObject({
        ips: [{ ip: FAR.own, attested: true, cdn: null }],
        ports: [
          { port: 22, service: 'ssh', banner: 'SSH-2.0-OpenSSH_9.2p1' },
          { port: 80, service: 'http' },
          { port: 443, service: 'https', tls },
          { port: 2375, service: 'docker' },
          { port: 6379, service: 'redis' },
        ],
      })
      expect(ids(ended)).toEqual(['exposed-docker', 'exposed-redis'])
      const stored = ended.findings.map(({ id, status, severity }) => [id, status, severity])
      expect(stored.sort()).toEqual([
        ['exposed-docker', 'open', 'high'],
        ['exposed-redis', 'open', 'high'],
      ])
    },
  )

  rule(
    'of an address that nobody attested, and of a CDN, web ports alone are ever connected to',
    async () => {
      const names = { 'cdn.example': [FAR.cdn], 'www.cdn.example': [FAR.other] }
      const licenseId = await owned('cdn.example', names, FAR.cdn)
      await rig.far.tell('counts')
      const ended = await rig.scan(licenseId, 'cdn.example', { checks: ['ports'], ports: 'top100' })
      expect(hostOf(ended, 'cdn.example')?.ips).toEqual([{ ip: FAR.cdn, attested: true, cdn: 'cloudflare' }])
      expect(hostOf(ended, 'www.cdn.example')?.ips).toEqual([{ ip: FAR.other, attested: false, cdn: null }])
      expect([portsOf(ended, 'cdn.example'), portsOf(ended, 'www.cdn.example')]).toEqual([[80], [80]])
      const listed = await rig.scan(licenseId, 'cdn.example', { checks: ['ports'], ports: [22, 6379] })
      expect(portsOf(listed, 'www.cdn.example')).toEqual([])
      expect(rig.forbidden()).toEqual(NOTHING)
      const counts = Object.keys(await rig.far.tell<Record<string, number>>('counts'))
      expect(counts.filter((place) => place.endsWith(':6379'))).toEqual([])
    },
  )

  rule(
    'an address attests itself by the file of the license; what echoes or answers everything does not',
    async () => {
      const licenseId = await owned('filed.example', { 'filed.example': [FAR.filed] })
      const { value } = await rig.surface<{ value: string }>('challenge', licenseId, 'filed.example')
      const path = `/.well-known/svc-ownership/${value.split('=')[1]}`
      const scanned = async () => rig.scan(licenseId, 'filed.example', { checks: ['ports'] })
      await rig.far.tell('manner', { host: 'filed.example', manner: 'echo' })
      expect(portsOf(await scanned(), 'filed.example')).toEqual([80])
      await rig.far.tell('file', { host: 'filed.example', path, status: 404, body: value })
      expect(portsOf(await scanned(), 'filed.example')).toEqual([80])
      await rig.far.tell('file', { host: 'filed.example', path, body: `${value}\n` })
      const ended = await scanned()
      expect(hostOf(ended, 'filed.example')?.ips).toEqual([{ ip: FAR.filed, attested: true, cdn: null }])
      expect(portsOf(ended, 'filed.example')).toEqual([80, 6379])
    },
  )

  rule('a name with one address that is not public is left out, and nothing reaches it', async () => {
    const names = {
      'bad.example': ['127.0.0.1'],
      'www.bad.example': ['169.254.169.254'],
      'mixed.bad.example': [FAR.own, '10.9.0.1'],
      'self.bad.example': ['11.22.33.1'],
    }
    const licenseId = await owned('bad.example', names, '127.0.0.1')
    await rig.zone({
      'six.bad.example': { AAAA: [{ address: '::ffff:127.0.0.1' }] },
      'loop.bad.example': { CNAME: [{ domain: 'loop.bad.example' }] },
    })
    const hosts = [...Object.keys(names).slice(2), 'six.bad.example', 'loop.bad.example', 'none.bad.example']
    const ended = await rig.scan(licenseId, 'bad.example', { hosts })
    expect(ended.scan).toMatchObject({ state: 'done', result: { hosts: [], findings: [] } })
    expect(skippedOf(ended)).toEqual({
      'bad.example': 'private_address',
      'www.bad.example': 'private_address',
      'mixed.bad.example': 'private_address',
      'self.bad.example': 'private_address',
      'six.bad.example': 'private_address',
      'loop.bad.example': 'no_address',
      'none.bad.example': 'no_address',
    })
    expect(rig.forbidden()).toEqual(NOTHING)
  })

  rule(
    'a name that changes its answer is resolved once, and only what was judged is connected to',
    async () => {
      const licenseId = await owned('rebind.example', {}, FAR.own)
      await rig.plane.tell('rebind', { name: 'rebind.example', addresses: [FAR.own, '127.0.0.1'] })
      const ended = [
        await rig.scan(licenseId, 'rebind.example'),
        await rig.scan(licenseId, 'rebind.example'),
        await rig.scan(licenseId, 'rebind.example'),
      ]
      const seen = ended.map((each) => hostOf(each, 'rebind.example')?.ips.map(({ ip }) => ip) ?? [])
      expect(seen.flat().filter((ip) => ip !== FAR.own)).toEqual([])
      expect(seen.flat().length + ended.filter((each) => skippedOf(each)['rebind.example']).length).toBe(3)
      expect(rig.forbidden()).toEqual(NOTHING)
    },
  )

  rule('exposed files are found by their content, and their values are not shown', async () => {
    const licenseId = await owned('leaky.example', { 'leaky.example': [FAR.other] })
    const file = (path: string, body: string, more: object = {}) =>
      rig.far.tell('file', { host: 'leaky.example', path, body, ...more })
    await file('/', '<title>Leaky</title><meta name="generator" content="WordPress 6.5">', {
      headers: { 'content-type': 'text/html' },
    })
    await file(
      '/.git/config',
      '[core]\n\trepositoryformatversion = 0\n[remote "o"]\n\turl = https://ann:hunter2@git.example/\n',
    )
    await file('/.env', 'APP_KEY=hunter2hunter2\nDB_PASSWORD=hunter3\n')
    await file('/backup.zip', Buffer.from('PK\u0003\u0004secret').toString('base64'), { encoding: 'base64' })
    await file('/dump.sql', '<html>CREATE TABLE</html>', { headers: { 'content-type': 'text/html' } })
    const ended = await rig.scan(licenseId, 'leaky.example', { checks: ['files', 'fingerprint'] })
    expect(ended.scan.state).toBe('done')
    const high = ended.scan.result.findings.filter(({ severity }) => severity === 'high')
    expect(high.map(({ id, url, evidence }) => [id, url, evidence]).sort()).toEqual([
      ['exposed-backup', 'http://leaky.example/backup.zip', 'bytes 504b030473656372'],
      ['exposed-env', 'http://leaky.example/.env', 'APP_KEY=…'],
      ['exposed-git-config', 'http://leaky.example/.git/config', '[core]'],
    ])
    expect(JSON.stringify(ended)).not.toContain('hunter')
    const [site] = hostOf(ended, 'leaky.example')?.http ?? []
    expect(site).toMatchObject({
      title: 'Leaky',
      server: 'nginx/1.25.3',
      tech: ['nginx 1.25.3', 'WordPress 6.5'],
    })
    await rig.far.tell('remove', { host: 'leaky.example', path: '/.env' })
    const later = await rig.scan(licenseId, 'leaky.example', { checks: ['files'] })
    const states = later.findings
      .filter(({ check }) => check === 'files')
      .map(({ id, status }) => [id, status])
    expect(states.sort()).toEqual([
      ['exposed-backup', 'open'],
      ['exposed-env', 'fixed'],
      ['exposed-git-config', 'open'],
    ])
  })

  rule('a file that is not answered in time fixes nothing on its host', async () => {
    const licenseId = await owned('hanging.example', { 'hanging.example': [FAR.other] })
    const file = (path: string, more: object) =>
      rig.far.tell('file', { host: 'hanging.example', path, ...more })
    await file('/', { body: 'hello' })
    await file('/.git/HEAD', { body: 'ref: refs/heads/main' })
    await rig.scan(licenseId, 'hanging.example', { checks: ['files'] })
    await file('/.git/HEAD', { status: 404 })
    await file('/id_rsa', { hangs: true })
    const ended = await rig.scan(licenseId, 'hanging.example', { checks: ['files'] })
    expect(ended.findings).toMatchObject([{ id: 'exposed-git-head', status: 'open' }])
  })

  const hasNmap = spawnSync('nmap', ['--version']).status === 0
  const beside = hasNmap ? rule : (title: string) => test.skip(`${title} (skipped: no nmap)`, () => {})
  beside('a sweep of two hundred ports finds what nmap finds', async () => {
    const licenseId = await owned('nmap.example', { 'nmap.example': [FAR.own] }, FAR.own)
    const ports = [...Array.from({ length: 198 }, (_, n) => n + 1), 443, 6379]
    const begun = performance.now()
    const ended = await rig.scan(licenseId, 'nmap.example', { checks: ['ports'], ports })
    const ours = performance.now() - begun
    const words = ['nmap', '-sT', '-n', '-Pn', '-p', ports.join(','), '-oG', '-', FAR.own]
    const start = performance.now()
    const said = rig.inPlane(words)
    const theirs = performance.now() - start
    const found = [...said.matchAll(/(\d+)\/open\//g)].map(([, port]) => Number(port))
    expect(portsOf(ended, 'nmap.example')).toEqual(found)
    expect(found).toEqual([22, 80, 443, 6379])
    if (process.env.RIG_LOUD)
      process.stderr.write(`200 ports: ${ours.toFixed()} ms, nmap ${theirs.toFixed()} ms\n`)
  })

  rule('a server that answers every path with one page has no exposed files', async () => {
    for (const manner of ['spa', 'spa-changing']) {
      const licenseId = await owned(`${manner}.example`, { [`${manner}.example`]: [FAR.other] })
      await rig.far.tell('manner', { host: `${manner}.example`, manner })
      const ended = await rig.scan(licenseId, `${manner}.example`, { checks: ['files'] })
      expect([manner, ended.scan.state, ended.scan.result.findings]).toEqual([manner, 'done', []])
    }
  })

  rule('a certificate log that fails is named, and every other check is made', async () => {
    const licenseId = await owned('ct.example', { 'ct.example': [FAR.other], 'api.ct.example': [FAR.other] })
    const log = (domain: string, answer: object) => rig.plane.tell('certificates', { domain, ...answer })
    await log('ct.example', { status: 502 })
    const failed = await rig.scan(licenseId, 'ct.example', { checks: ['ct', 'ports'] })
    expect(failed.scan).toMatchObject({ state: 'done' })
    expect(failed.scan.result.errors).toEqual([{ check: 'ct', source: '127.0.0.1', error: 'HTTP 502' }])
    expect(portsOf(failed, 'ct.example')).toEqual([80])
    await log('ct.example', { text: '<html>busy</html>' })
    const html = await rig.scan(licenseId, 'ct.example', { checks: ['ct'] })
    expect(html.scan.result.errors).toMatchObject([{ error: 'no list of certificates' }])
    const names = ['*.ct.example\\napi.ct.example', 'evil.com', '../etc', 'ann@ct.example', 'notct.example']
    await log('ct.example', {
      text: JSON.stringify(names.map((name_value) => ({ name_value }))).replaceAll('\\\\n', '\\n'),
    })
    const listed = await rig.scan(licenseId, 'ct.example', { checks: ['ct', 'ports'] })
    expect(listed.scan.result.errors).toEqual([])
    expect(hostOf(listed, 'api.ct.example')?.sources).toEqual(['ct'])
    expect(listed.scan.result.hosts.map(({ name }) => name).sort()).toEqual(['api.ct.example', 'ct.example'])
    expect(rig.forbidden()).toEqual(NOTHING)
  })

  rule('a second scan while one runs is refused with the first one; a lost record ends it', async () => {
    const licenseId = await owned('lost.example', { 'lost.example': [FAR.other] })
    await rig.plane.tell('certificates', { domain: 'lost.example', hangs: true })
    const first = await rig.surface<{ scan: { id: string } }>('start', licenseId, { domain: 'lost.example' })
    const second = await rig.surface('start', licenseId, { domain: 'lost.example' })
    expect(second).toEqual({ outcome: 'running', id: first.scan.id })
    await rig.zone({ '_svc-challenge.lost.example': null })
    const { scan } = await rig.plane.tell<Ended>('ended', { id: first.scan.id })
    expect(scan).toMatchObject({ state: 'aborted', error: 'domain ownership not proven any more' })
    expect(await rig.surface('find', ofLicense(licenseId), 'lost.example')).toMatchObject({
      reason: 'no TXT record',
    })
  })

  rule('a scan that somebody ends, or whose domain is removed, stops', async () => {
    const licenseId = await owned('ended.example', { 'ended.example': [FAR.other] })
    await rig.plane.tell('certificates', { domain: 'ended.example', hangs: true })
    const { scan } = await rig.surface<{ scan: { id: string } }>('start', licenseId, {
      domain: 'ended.example',
    })
    expect(await rig.surface('abort', PLATFORM, scan.id)).toMatchObject({ state: 'aborted' })
    const { scan: again } = await rig.surface<{ scan: { id: string } }>('start', licenseId, {
      domain: 'ended.example',
    })
    await rig.surface('remove', { licenseId, domain: 'ended.example' })
    expect(await rig.surface('scan', PLATFORM, again.id)).toMatchObject({ thrown: 'not-found' })
    await rig.surface('idle')
  })

  rule('names that are no domain of anybody, and hosts of others, are refused', async () => {
    const licenseId = await owned('names.example', {})
    for (const domain of [
      'co.uk',
      'github.io',
      'localhost',
      '10.0.0.1',
      '*.names.example',
      '0x7f.1',
      '::1',
      'a b.example',
    ])
      expect([domain, await rig.surface('add', licenseId, domain)]).toMatchObject([
        domain,
        { thrown: 'invalid-input', data: { details: [expect.stringContaining('domain: expected')] } },
      ])
    for (const host of [
      'victim.com',
      'notnames.example',
      'names.example.evil.com',
      '127.0.0.1',
      '*.names.example',
    ])
      expect(await rig.surface('start', licenseId, { domain: 'names.example', hosts: [host] })).toMatchObject(
        {
          thrown: 'invalid-input',
          data: { details: [expect.stringContaining('hosts.0: expected')] },
        },
      )
    const shown = await rig.surface<{ target: { domain: string } }>('add', licenseId, 'BÜCHER.example.')
    expect(shown.target.domain).toBe('xn--bcher-kva.example')
  })

  rule('redirects are noted, and followed inside of the domain alone', async () => {
    const names = { 'away.example': [FAR.other], 'www.away.example': [FAR.other] }
    const licenseId = await owned('away.example', names)
    await rig.far.tell('manner', { host: 'away.example', manner: 'to-loopback' })
    await rig.far.tell('manner', { host: 'www.away.example', manner: 'to-other' })
    await rig.far.tell('file', {
      host: 'inside.away.example',
      path: '/landing',
      body: '<title>Landing</title>',
    })
    await rig.zone({ 'inside.away.example': { A: [{ address: FAR.other }] } })
    const hosts = ['inside.away.example', 'hop.away.example']
    await rig.zone({ 'hop.away.example': { A: [{ address: FAR.other }] } })
    const location = 'http://inside.away.example/landing'
    await rig.far.tell('file', { host: 'hop.away.example', path: '/', status: 301, headers: { location } })
    const ended = await rig.scan(licenseId, 'away.example', { checks: ['fingerprint'], hosts })
    const sites = (name: string) => hostOf(ended, name)?.http.map(({ url, location: to }) => [url, to])
    expect(sites('away.example')).toEqual([['http://away.example/', 'http://127.0.0.1/']])
    expect(sites('www.away.example')).toEqual([['http://www.away.example/', 'http://victim.example/']])
    expect(hostOf(ended, 'hop.away.example')?.http.at(-1)).toMatchObject({ url: location, title: 'Landing' })
    expect(rig.forbidden()).toEqual(NOTHING)
  })

  rule('endless, slow and packed answers are cut, and the scan ends', async () => {
    const names = {
      'big.example': [FAR.other],
      'www.big.example': [FAR.other],
      'bomb.big.example': [FAR.other],
    }
    const licenseId = await owned('big.example', names)
    await rig.far.tell('manner', { host: 'big.example', manner: 'big' })
    await rig.far.tell('manner', { host: 'www.big.example', manner: 'slow' })
    await rig.far.tell('manner', { host: 'bomb.big.example', manner: 'bomb' })
    const ended = await rig.scan(licenseId, 'big.example', {
      checks: ['fingerprint'],
      hosts: ['bomb.big.example'],
    })
    expect(ended.scan.state).toBe('done')
    expect(hostOf(ended, 'big.example')?.http).toMatchObject([{ status: 200 }])
    expect(hostOf(ended, 'www.big.example')?.http).toEqual([])
    expect(hostOf(ended, 'bomb.big.example')?.http).toMatchObject([{ status: 200, tech: [] }])
  })

  rule(
    'certificates that ended or have another name are findings, and an alias that nobody claims is one',
    async () => {
      const names = { 'old.example': [FAR.own], 'www.old.example': [FAR.own] }
      const licenseId = await owned('old.example', names, FAR.own)
      await rig.zone({
        'docs.old.example': { CNAME: [{ domain: 'nobody.azurewebsites.net' }] },
        'pages.old.example': { CNAME: [{ domain: 'nobody.github.io' }] },
        'nobody.github.io': { A: [{ address: FAR.other }] },
      })
      const page = { body: "There isn't a GitHub Pages site here.", status: 404 }
      await rig.far.tell('file', { host: 'pages.old.example', path: '/', ...page })
      const hosts = ['docs.old.example', 'pages.old.example']
      const ended = await rig.scan(licenseId, 'old.example', { checks: ['fingerprint'], hosts })
      const found = ended.scan.result.findings.filter(({ id }) => !id.startsWith('missing-'))
      expect(found.map(({ id, host, severity }) => [host, id, severity]).sort()).toEqual([
        ['docs.old.example', 'dangling-alias', 'high'],
        ['old.example', 'tls-expired', 'medium'],
        ['pages.old.example', 'dangling-alias', 'high'],
        ['www.old.example', 'tls-name-mismatch', 'low'],
        ['www.old.example', 'tls-self-signed', 'low'],
      ])
    },
  )

  rule(
    'every request is a GET that says who asks, and a host gets no more than sixty of a scan',
    async () => {
      const licenseId = await owned('polite.example', { 'polite.example': [FAR.other] })
      await rig.far.tell('counts')
      await rig.scan(licenseId, 'polite.example')
      const counts = await rig.far.tell<Record<string, number>>('counts')
      expect(counts[`${FAR.other}:80`]).toBeLessThanOrEqual(61)
      expect(await rig.far.tell('seen')).toEqual({
        agents: ['svc-attack-surface/1 (+https://svc.example/security)'],
        methods: ['GET'],
      })
    },
  )
})
