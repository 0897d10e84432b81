import { describe, expect, it } from '@jest/globals'
import { readSecuritySettings, settingsDigest } from '@svc/core/ports'
import { mergedRanges } from '../../../src/hosts/node-security/address-range.ts'
import { mergedPorts } from '../../../src/hosts/node-security/port-range.ts'

const firewall = (fields: object) => ({ firewall: { enabled: true, ...fields } })
const allow = (fields: object) => firewall({ allow: [{ ports: ['80'], proto: 'tcp', ...fields }] })
const many = <T>(count: number, each: (index: number) => T) =>
  Array.from({ length: count }, (_, at) => each(at))

/** Hostile documents, and their faults. Each is refused as a whole. */
const MALICIOUS: readonly (readonly [what: string, document: unknown, path: string])[] = [
  ['a statement behind an address', allow({ from: ['1.2.3.4; flush ruleset'] }), 'firewall.allow.0.from.0'],
  ['a name that would be looked up', allow({ from: ['localhost'] }), 'firewall.allow.0.from.0'],
  ['a set of nft', allow({ from: ['@others'] }), 'firewall.allow.0.from.0'],
  ['an address with a zone', allow({ from: ['fe80::1%eth0'] }), 'firewall.allow.0.from.0'],
  ['an octal address', allow({ from: ['010.0.0.1'] }), 'firewall.allow.0.from.0'],
  ['half an address', allow({ from: ['10/8'] }), 'firewall.allow.0.from.0'],
  ['an IPv4 address as IPv6', allow({ from: ['::ffff:10.0.0.1'] }), 'firewall.allow.0.from.0'],
  ['a prefix beyond the address', allow({ from: ['10.0.0.0/33'] }), 'firewall.allow.0.from.0'],
  ['a prefix with a zero before it', allow({ from: ['10.0.0.0/08'] }), 'firewall.allow.0.from.0'],
  ['a negative prefix', allow({ from: ['10.0.0.0/-1'] }), 'firewall.allow.0.from.0'],
  ['nobody to open to', allow({ from: [] }), 'firewall.allow.0.from'],
  ['51 sources', allow({ from: many(51, (at) => `10.0.0.${at}`) }), 'firewall.allow.0.from'],
  ['quotes in a comment', allow({ comment: 'a" accept; drop "' }), 'firewall.allow.0.comment'],
  ['a line end in a comment', allow({ comment: 'a\nflush ruleset' }), 'firewall.allow.0.comment'],
  ['a backslash in a comment', allow({ comment: 'a\\' }), 'firewall.allow.0.comment'],
  ['a NUL in a comment', allow({ comment: 'a\0' }), 'firewall.allow.0.comment'],
  ['a comment that is too long', allow({ comment: 'x'.repeat(65) }), 'firewall.allow.0.comment'],
  ['the port 0', allow({ ports: ['0'] }), 'firewall.allow.0.ports.0'],
  ['the port 70000', allow({ ports: ['70000'] }), 'firewall.allow.0.ports.0'],
  ['a falling range', allow({ ports: ['90-80'] }), 'firewall.allow.0.ports.0'],
  ['a port as a number', allow({ ports: [80] }), 'firewall.allow.0.ports.0'],
  ['a name of a port', allow({ ports: ['ssh'] }), 'firewall.allow.0.ports.0'],
  ['a statement behind a port', allow({ ports: ['80 accept; #'] }), 'firewall.allow.0.ports.0'],
  ['no port', allow({ ports: [] }), 'firewall.allow.0.ports'],
  ['21 ports', allow({ ports: many(21, (at) => String(at + 1)) }), 'firewall.allow.0.ports'],
  ['another protocol', allow({ proto: 'icmp' }), 'firewall.allow.0.proto'],
  ['201 rules', firewall({ allow: many(201, () => ({ ports: ['1'], proto: 'tcp' })) }), 'firewall.allow'],
  ['1001 ranges', firewall({ deny_from: many(1001, () => '10.0.0.1') }), 'firewall.deny_from'],
  [
    'a statement in an interface',
    firewall({ trusted_interfaces: ['lo; drop'] }),
    'firewall.trusted_interfaces.0',
  ],
  ['every interface', firewall({ trusted_interfaces: ['*'] }), 'firewall.trusted_interfaces.0'],
  ['a star in the middle', firewall({ trusted_interfaces: ['a*b'] }), 'firewall.trusted_interfaces.0'],
  ['a rate without end', firewall({ ssh_rate_limit: JSON.parse('1e999') }), 'firewall.ssh_rate_limit'],
  ['a negative rate', firewall({ ssh_rate_limit: -1 }), 'firewall.ssh_rate_limit'],
  ['half a rate', firewall({ ssh_rate_limit: 0.5 }), 'firewall.ssh_rate_limit'],
  ['null for a list', firewall({ allow: null }), 'firewall.allow'],
  ['a directive in a user', { ssh: { allow_users: ['ann\nPermitRootLogin yes'] } }, 'ssh.allow_users.0'],
  ['a pattern for a user', { ssh: { allow_users: ['*'] } }, 'ssh.allow_users.0'],
  ['no user', { ssh: { allow_users: [] } }, 'ssh.allow_users'],
  ['one try', { ssh: { max_auth_tries: 1 } }, 'ssh.max_auth_tries'],
  ['tries without end', { ssh: { max_auth_tries: JSON.parse('1e999') } }, 'ssh.max_auth_tries'],
  ['another word for root', { ssh: { root_login: 'without-password' } }, 'ssh.root_login'],
  ['a key of the kernel', { sysctl: 'kernel.panic=1' }, 'sysctl'],
  ['another word for updates', { auto_updates: 'yes' }, 'auto_updates'],
]

describe('security settings', () => {
  it.each(MALICIOUS)('%s is refused', (_, document, path) => {
    try {
      readSecuritySettings(document)
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid-input' })
      const { details } = (error as { data: { details: readonly string[] } }).data
      expect(details.some((line) => line.startsWith(`${path}: expected `))).toBe(true)
      return
    }
    throw new Error('the document was taken')
  })

  it('absent parts have their defaults, and unknown keys are dropped', () => {
    const own = JSON.parse('{"__proto__":{"x":1},"constructor":1,"firewall":{"enabled":true,"flush":true}}')
    expect(readSecuritySettings(own)).toEqual({
      firewall: {
        enabled: true,
        allow: [{ ports: ['22'], proto: 'tcp' }],
        deny_from: [],
        trusted_interfaces: ['docker0', 'br-*', 'veth*'],
        icmp: true,
        ssh_rate_limit: 6,
        log_drops: false,
      },
      ssh: { password_auth: 'keep', root_login: 'keep' },
      sysctl: 'none',
      auto_updates: 'keep',
    })
  })

  it('equal documents have one digest, in whatever order their keys stand', () => {
    const one = readSecuritySettings({ firewall: { enabled: true, icmp: false }, sysctl: 'baseline' })
    const other = readSecuritySettings({ sysctl: 'baseline', firewall: { icmp: false, enabled: true } })
    expect(settingsDigest(one)).toBe(settingsDigest(other))
    expect(settingsDigest(readSecuritySettings({}))).not.toBe(settingsDigest(one))
    // Rules are taken in their order.
    const ordered = (ports: string[]) => readSecuritySettings(allow({ ports }))
    expect(settingsDigest(ordered(['1', '2']))).not.toBe(settingsDigest(ordered(['2', '1'])))
  })
})

describe('ranges', () => {
  it('lose the bits behind their prefix, and those that lie in another', () => {
    const texts = [
      '10.1.2.3/8',
      '10.9.0.0/16',
      '2001:DB8::1/32',
      '192.0.2.1',
      '192.0.2.1',
      '2001:db8:5::/48',
      '0.0.0.0/0',
    ]
    expect(mergedRanges(texts.slice(0, -1))).toEqual([
      { family: 'ip', address: '10.0.0.0', prefix: 8 },
      { family: 'ip', address: '192.0.2.1', prefix: 32 },
      { family: 'ip6', address: '2001:db8::', prefix: 32 },
    ])
    expect(mergedRanges(texts).filter(({ family }) => family === 'ip')).toEqual([
      { family: 'ip', address: '0.0.0.0', prefix: 0 },
    ])
  })

  it('of ports do not overlap', () => {
    expect(mergedPorts(['80', '8000-8100', '22', '8050-8200', '81'])).toEqual([
      [22, 22],
      [80, 81],
      [8000, 8200],
    ])
  })
})
