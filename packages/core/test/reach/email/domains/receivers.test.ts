// Receivers accept `verified` records, by the judgement of two verifiers that are not ours: mailauth, and
// pyspf and dkimpy where Python has them. The column of each table is their verdict on the row.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { checkDkim, checkDmarc, checkSpf } from '../../../../src/reach/email/domains/check-records.ts'
import { newDkimPair } from '../../../../src/reach/email/domains/dkim-key.ts'
import type { DomainLookup } from '../../../../src/reach/email/domains/domain-dns.ts'
import { compose } from '../../../../src/reach/email/smtp/compose.ts'

const require = createRequire(import.meta.url)
type Resolver = (name: string, type: string) => Promise<unknown>
const { spf } = require('mailauth/lib/spf') as {
  spf(options: object): Promise<{ status: { result: string } }>
}
const { dkimVerify } = require('mailauth/lib/dkim/verify') as {
  dkimVerify(raw: Buffer, options: object): Promise<{ results: readonly { status: { result: string } }[] }>
}
const getDmarcRecord = require('mailauth/lib/dmarc/get-dmarc-record') as (
  domain: string,
  resolver: Resolver,
) => Promise<false | { p?: string }>

type Zone = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
const DOMAIN = 'mail.example.com'
const RELAY_IP = '203.0.113.5'
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

const lookupIn = (zone: Zone): DomainLookup => ({
  find: async (name, type) => {
    const records = zone[name.toLowerCase()]?.[type]
    return records === undefined ? { status: 'absent' } : { status: 'records', records }
  },
  cancel: () => {},
})
const resolverIn =
  (zone: Zone): Resolver =>
  async (name, type) => {
    const records = zone[name.toLowerCase()]?.[type]
    if (records === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    if (type === 'TXT') return records.map((text) => [text])
    if (type !== 'MX') return records
    return records.map((text) => ({ priority: Number(text.split(' ')[0]), exchange: text.split(' ')[1] }))
  }

/** Runs a program of Python over cases, all in one process; undefined if Python lacks the module. */
function inPython<T>(program: string, cases: unknown): readonly T[] | undefined {
  try {
    const options = { input: JSON.stringify(cases), stdio: ['pipe', 'pipe', 'ignore'] as const }
    const out = execFileSync(PYTHON, ['-c', program], { ...options, stdio: [...options.stdio] })
    return JSON.parse(out.toString('utf8')) as T[]
  } catch {
    process.stderr.write(
      'skipped: python3-spf or python3-dkim is not installed, so that mailauth judged alone\n',
    )
    return undefined
  }
}
const PYSPF = `
import json, sys, spf
zone = {}
def look(name, qtype, tcpfallback=True, timeout=30):
    records = zone.get(name.lower().rstrip('.'), {}).get(qtype)
    if records is None: return []
    if qtype == 'TXT': return [((name, qtype), [text.encode()]) for text in records]
    if qtype == 'MX': return [((name, qtype), (int(t.split(' ')[0]), t.split(' ')[1])) for t in records]
    return [((name, qtype), text) for text in records]
spf.DNSLookup = look
out = []
for case in json.load(sys.stdin):
    zone = case['zone']
    out.append(spf.check2(i=case['ip'], s='postmaster@' + case['domain'], h=case['domain'])[0])
print(json.dumps(out))`
const DKIMPY = `
import base64, json, sys, dkim
given = json.load(sys.stdin)
raw = base64.b64decode(given['raw'])
out = []
for record in given['records']:
    try: out.append(dkim.verify(raw, dnsfunc=lambda n, timeout=5: record.encode()))
    except Exception: out.append(False)
print(json.dumps(out))`

const MORE: Zone = {
  'relay.example': { TXT: ['v=spf1 ip4:203.0.113.0/28 -all'] },
  'more.example': { TXT: ['v=spf1 include:relay.example -all'] },
  'minus.example': { TXT: ['v=spf1 -include:relay.example ?all'] },
  'good.example': { A: [RELAY_IP], MX: ['10 good.example'] },
  'voids.example': { MX: ['10 a.none', '20 b.none', '30 c.none', '40 good.example'] },
  'twovoids.example': { MX: ['10 a.none', '20 b.none', '30 good.example'] },
  '5.113.0.203.has.example': { A: ['127.0.0.2'] },
  ...Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`i${at}.example`, { TXT: ['v=spf1 ?all'] }])),
}
const TEN = Array.from({ length: 10 }, (_, at) => `include:i${at}.example`).join(' ')

/** Records; whether receivers take the relay's mail with each; the status by address and by include. */
const SPF: readonly (readonly [record: string, passes: boolean, byIps: string, byInclude: string])[] = [
  ['v=spf1 include:relay.example ~all', true, 'verified', 'verified'],
  ['v=spf1 include:relay.example -all', true, 'verified', 'verified'],
  ['v=spf1 +include:relay.example -all', true, 'verified', 'verified'],
  ['V=SPF1 INCLUDE:RELAY.EXAMPLE -ALL', true, 'verified', 'verified'],
  ['v=spf1  include:relay.example   -all', true, 'verified', 'verified'],
  ['v=spf1 include:more.example -all', true, 'verified', 'verified'],
  ['v=spf1 redirect=relay.example', true, 'verified', 'verified'],
  ['v=spf1 redirect=more.example', true, 'verified', 'verified'],
  ['v=spf1 x-note=hello include:relay.example -all', true, 'verified', 'verified'],
  ['v=spf1 -include:relay.example -all', false, 'mismatch', 'mismatch'],
  ['v=spf1 ?include:relay.example -all', false, 'mismatch', 'mismatch'],
  ['v=spf1 ~include:relay.example -all', false, 'mismatch', 'mismatch'],
  ['v=spf1 include:minus.example -all', false, 'mismatch', 'mismatch'],
  ['v=spf1 -include:more.example -all', false, 'mismatch', 'mismatch'],
  ['v=spf1 -all include:relay.example', false, 'mismatch', 'mismatch'],
  ['v=spf1 -all', false, 'mismatch', 'mismatch'],
  ['v=spf1 include:relay.example include:dead.example ~all', true, 'verified', 'verified'],
  ['v=spf1 include:dead.example include:relay.example ~all', false, 'invalid', 'invalid'],
  ['v=spf1 include:relay.example a mx exists:%{i}.none.example ~all', true, 'verified', 'verified'],
  ['v=spf1 a mx exists:%{i}.none.example include:relay.example ~all', false, 'invalid', 'invalid'],
  [`v=spf1 include:relay.example ${TEN} ~all`, true, 'verified', 'verified'],
  [`v=spf1 ${TEN} include:relay.example ~all`, false, 'invalid', 'invalid'],
  ['v=spf1 ip4:203.0.113.5 -all', true, 'verified', 'mismatch'],
  ['v=spf1 ip4:203.0.113.0/24 -all', true, 'verified', 'mismatch'],
  ['v=spf1 ip4:203.0.113.5/032 -all', false, 'invalid', 'invalid'],
  ['v=spf1 a:good.example/032 -all', false, 'invalid', 'invalid'],
  ['v=spf1 ip4:203.0.113.5/33 -all', false, 'invalid', 'invalid'],
  ['v=spf1 ip4:203.0.113.300 -all', false, 'invalid', 'invalid'],
  ['v=spf1 mx:good.example -all', true, 'verified', 'mismatch'],
  ['v=spf1 mx:twovoids.example -all', true, 'verified', 'mismatch'],
  ['v=spf1 exists:%{ir}.has.example -all', true, 'verified', 'mismatch'],
  ['v=spf1 bogus include:relay.example -all', false, 'invalid', 'invalid'],
  ['v=spf1 include: -all', false, 'invalid', 'invalid'],
  ['v=spf1 +all', true, 'insecure', 'insecure'],
  ['v=spf1 include:relay.example +all', true, 'insecure', 'insecure'],
  ['v=spf10 include:relay.example -all', false, 'missing', 'missing'],
]

describe('An SPF record', () => {
  const zoneOf = (record: string): Zone => ({ ...MORE, [DOMAIN]: { TXT: [record] } })
  const status = async (record: string, source: { include: string | undefined; ips: readonly string[] }) =>
    (await checkSpf(lookupIn(zoneOf(record)), DOMAIN, source)).status

  it.each(SPF)(
    '%s: mail of the relay passes is %s, by address %s, by include %s',
    async (record, passes, byIps, byInclude) => {
      const by = { ips: [RELAY_IP], include: undefined }
      expect(await status(record, by)).toBe(byIps)
      expect(await status(record, { include: 'relay.example', ips: [] })).toBe(byInclude)
      const question = {
        sender: `postmaster@${DOMAIN}`,
        ip: RELAY_IP,
        helo: DOMAIN,
        mta: 'test',
        strict: true,
      }
      const theirs = await spf({ ...question, resolver: resolverIn(zoneOf(record)) })
      // mailauth takes a leading zero, which the grammar of RFC 7208 does not have.
      if (!/\/0\d/.test(record)) expect(theirs.status.result === 'pass').toBe(passes)
    },
  )

  it('is judged by pyspf as by this table', () => {
    const cases = SPF.map(([record]) => ({ zone: zoneOf(record), ip: RELAY_IP, domain: DOMAIN }))
    const results = inPython<string>(PYSPF, cases)
    const seen = results?.map((result, at) => [SPF[at]?.[0], result === 'pass'])
    if (seen) expect(seen).toEqual(SPF.map(([record, passes]) => [record, passes]))
  })

  it('with more than two exchanges that have no address is given up, as pyspf does', async () => {
    const record = 'v=spf1 mx:voids.example -all'
    expect(await status(record, { ips: [RELAY_IP], include: undefined })).toBe('invalid')
    const [result] = inPython<string>(PYSPF, [{ zone: zoneOf(record), ip: RELAY_IP, domain: DOMAIN }]) ?? []
    expect(['permerror', undefined]).toContain(result)
  })

  it('that lets the relay send without its name says what to set', async () => {
    const source = { include: 'relay.example', ips: [] }
    const found = await checkSpf(lookupIn(zoneOf('v=spf1 ip4:203.0.113.5 -all')), DOMAIN, source)
    expect(found.detail).toContain('set EMAIL_SPF_IPS to the addresses of the relay')
  })
})

/** Records of a key; whether both verifiers take our signature with each; our finding. */
const DKIM: readonly (readonly [record: string, passes: boolean, status: string, detail: string])[] = [
  ['v=DKIM1; k=rsa; p=KEY', true, 'verified', ''],
  ['v=DKIM1; k=rsa; p=KEY;', true, 'verified', ''],
  ['v=DKIM1;k=rsa;p=KEY', true, 'verified', ''],
  [' v = DKIM1 ; k = rsa ; p = KEY ', true, 'verified', ''],
  ['p=KEY', true, 'verified', ''],
  ['k=rsa; p=KEY', true, 'verified', ''],
  ['v=DKIM1; p=KEY', true, 'verified', ''],
  ['v=DKIM1; p=KEY; k=rsa; n=a note', true, 'verified', ''],
  ['v=DKIM1; h=sha256; k=rsa; p=KEY', true, 'verified', ''],
  ['v=DKIM1; h=sha1:sha256; k=rsa; p=KEY', true, 'verified', ''],
  ['v=DKIM1; k=rsa; s=email; p=KEY', true, 'verified', ''],
  ['v=DKIM1; k=rsa; s=*; p=KEY', true, 'verified', ''],
  ['v=DKIM1; k=rsa; t=y; p=KEY', true, 'verified', ''],
  ['v=DKIM1; k=rsa; p=OTHER', false, 'mismatch', 'another key'],
  ['v=DKIM1; k=rsa; p=', false, 'mismatch', 'revoked'],
  ['v=DKIM1; k=rsa; P=KEY', false, 'invalid', 'tag p is missing'],
  ['v=dkim1; k=rsa; p=KEY', false, 'invalid', 'tag v'],
  ['v=DKIM2; k=rsa; p=KEY', false, 'invalid', 'tag v'],
  ['v=DKIM1, k=rsa; p=KEY', false, 'invalid', 'tag v'],
  ['v=DKIM1 k=rsa; p=KEY', false, 'invalid', 'tag v'],
  ['v=DKIM1\\; k=rsa\\; p=KEY', false, 'invalid', 'backslashes'],
  ['v=DKIM1; k=ed25519; p=KEY', false, 'invalid', 'tag k'],
  ['v=DKIM1; k=RSA2; p=KEY', false, 'invalid', 'tag k'],
  ['v=DKIM1; s=tlsrpt; k=rsa; p=KEY', false, 'invalid', 'tag s'],
  ['v=DKIM1; h=sha1; k=rsa; p=KEY', false, 'invalid', 'tag h'],
  ['v=DKIM1; h=rsa-sha256; k=rsa; p=KEY', false, 'invalid', 'tag h'],
  ['v=DKIM1; k=rsa; p=KEY; p=KEY', false, 'invalid', 'tag p comes twice'],
  ['v=DKIM1; k=rsa; p=OTHER; p=KEY', false, 'invalid', 'tag p comes twice'],
]

describe('A DKIM record', () => {
  let raw: Buffer
  let key: { readonly selector: string; readonly publicKey: string }
  let other: string
  beforeAll(async () => {
    const pair = await newDkimPair()
    other = (await newDkimPair()).publicKey
    key = { selector: 's1', publicKey: pair.publicKey }
    const box = { name: '', local: 'ann', domain: DOMAIN }
    const contents = {
      from: box,
      visible: [{ ...box, role: 'to' as const }],
      replyTo: [],
      subject: 'hello',
      text: 'Good morning.',
      html: undefined,
      headers: {},
      attachments: [],
    }
    const signature = { domain: DOMAIN, selector: 's1', privateKey: pair.privateKey }
    raw = await compose({ messageId: 'em_1', date: new Date(0), contents, signature })
  })
  const filled = (record: string) => record.replaceAll('KEY', key.publicKey).replaceAll('OTHER', other)
  const zoneOf = (record: string): Zone => ({ [`s1._domainkey.${DOMAIN}`]: { TXT: [filled(record)] } })

  it.each(DKIM)('%s: is taken is %s, and is %s', async (record, passes, status, detail) => {
    const found = await checkDkim(lookupIn(zoneOf(record)), DOMAIN, key)
    expect(found.status).toBe(status)
    expect(found.detail ?? '').toContain(detail)
    expect(found.status === 'verified').toBe(passes)
  })

  it('is verified where both verifiers take our signature, and nowhere else', async () => {
    const records = DKIM.map(([record]) => filled(record))
    const theirs: boolean[] = []
    for (const [record] of DKIM) {
      const { results } = await dkimVerify(raw, { resolver: resolverIn(zoneOf(record)) })
      theirs.push(results[0]?.status.result === 'pass')
    }
    const python = inPython<boolean>(DKIMPY, { raw: raw.toString('base64'), records })
    const seen = DKIM.map(([record], at) => [record, theirs[at] === true && python?.[at] !== false])
    if (python) expect(seen).toEqual(DKIM.map(([record, passes]) => [record, passes]))
  })
})

/** Records of `_dmarc`; whether mailauth finds a policy in each; our status. */
const DMARC: readonly (readonly [records: readonly string[], found: boolean, status: string])[] = [
  [['v=DMARC1; p=none'], true, 'verified'],
  [['v=DMARC1;p=reject;'], true, 'verified'],
  [['v=DMARC1; p=quarantine; pct=50; rua=mailto:d@example.com'], true, 'verified'],
  [['v=DMARC1; rua=mailto:d@example.com'], true, 'verified'],
  [['v=DMARC1\\; p=none'], false, 'missing'],
  [['v=DMARC2; p=none'], false, 'missing'],
  [['v=dmarc1; p=none'], false, 'missing'],
  [['p=none; v=DMARC1'], false, 'missing'],
  [['hello'], false, 'missing'],
  [['v=DMARC1; p=none', 'hello'], true, 'verified'],
]

describe('A DMARC record', () => {
  it.each(DMARC)('%j: is a policy is %s, and is %s', async (records, isPolicy, status) => {
    const zone = { [`_dmarc.${DOMAIN}`]: { TXT: records } }
    expect((await checkDmarc(lookupIn(zone), DOMAIN)).status).toBe(status)
    expect((await getDmarcRecord(DOMAIN, resolverIn(zone))) !== false).toBe(isPolicy)
  })
})
