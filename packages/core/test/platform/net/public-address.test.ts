import { describe, expect, test } from '@jest/globals'
import { AddressRules, isNeverCalled, isPublicAddress } from '../../../src/platform/net/public-address.ts'

describe('an address by the plain rules', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.15',
    '2606:4700::1111',
    '2a00:1450:4001:829::200e',
    '2003::1',
    '64:ff9b::8.8.8.8',
    '::ffff:8.8.8.8',
  ])('that is ordinary and public is accepted: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.255',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.0.192',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fec0::1',
    'fc00::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001:0:53aa:64c:0:fbff:80ff:fffe',
    '64:ff9b:1::8.8.8.8',
    '100::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    '::2',
  ])('that has a special purpose or none is refused: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:7F00:0001',
    '0:0:0:0:0:ffff:7f00:1',
    '0::ffff:127.0.0.1',
    '0000:0000:0000:0000:0000:ffff:7f00:0001',
    '::ffff:a9fe:a9fe',
    '::ffff:10.1.2.3',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '::7f00:1',
    '::8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b::168.63.129.16',
  ])('that carries an IPv4 address inside is judged by it or refused: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    '',
    ' ',
    'localhost',
    '0x7f.1',
    '0x08080808',
    '134744072',
    '8.8.2056',
    '010.8.8.8',
    '8.8.8.8 ',
    '８.8.8.8',
    '8.8.8.8.',
    '8.8.8.8/32',
    '[2606:4700::1111]',
    '2606:4700::1111%eth0',
    'fe80::1%25eth0',
    '2606:4700::1111%',
    '8.8.8.8%1',
    '::ffff:010.8.8.8',
    '1::2::3',
  ])('in any other than one plain spelling is refused: %j', (text) => {
    expect(isPublicAddress(text)).toBe(false)
  })
})

describe('ranges of the operator', () => {
  test('an allowed range is accepted although not public, also in its IPv6 spelling, and nothing beside it', () => {
    const rules = new AddressRules({ allow: ['127.0.0.0/8', 'fd12:3456::/32', '10.1.2.3'] })
    expect(rules.admit('127.0.0.1')).toBe('127.0.0.1')
    expect(rules.admit('::ffff:7f00:1')).toBe('127.0.0.1')
    expect(rules.admit('FD12:3456:0::1')).toBe('fd12:3456::1')
    expect(rules.admit('10.1.2.3')).toBe('10.1.2.3')
    expect(rules.admit('10.1.2.4')).toBeUndefined()
    expect(rules.admit('::1')).toBeUndefined()
  })

  test('an allowed IPv4 range does not reach through a NAT64 gateway', () => {
    const rules = new AddressRules({ allow: ['127.0.0.0/8'] })
    expect(rules.admit('64:ff9b::7f00:1')).toBeUndefined()
  })

  test('a refused range wins over an allowed one and over being public, also behind NAT64', () => {
    const rules = new AddressRules({
      allow: ['10.0.0.0/8'],
      refuse: ['10.9.0.0/16', '8.8.8.0/24', '2606:4700::/32'],
    })
    expect(rules.admit('10.8.0.1')).toBe('10.8.0.1')
    for (const address of ['10.9.0.1', '8.8.8.8', '::ffff:8.8.8.8', '64:ff9b::808:808', '2606:4700::1111']) {
      expect(rules.admit(address)).toBeUndefined()
    }
  })

  // For each range: the addresses at its ends, and the neighbours outside.
  test.each([
    [['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
    [['::'], ['::1']],
    [
      ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
      ['169.253.255.255', '169.255.0.0'],
    ],
    [
      ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['fe7f::1', 'fec0::'],
    ],
    [['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
    [['100.100.100.200'], ['100.100.100.199', '100.100.100.201']],
    [['192.0.0.192'], ['192.0.0.191', '192.0.0.193']],
    [
      ['fd00:ec2::', 'fd00:ec2::254', 'fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['fd00:ec1::254', 'fd00:ec3::'],
    ],
    [['fd20:ce::254'], ['fd20:ce::253', 'fd20:ce::255']],
  ])('nothing allows the metadata, link-local and unspecified addresses: %j', (never, beside) => {
    const all = new AddressRules({ allow: ['0.0.0.0/0', '::/0'] })
    for (const address of never) {
      expect(all.admit(address)).toBeUndefined()
      expect(new AddressRules({ allow: [address] }).admit(address)).toBeUndefined()
    }
    expect(beside.map((address) => all.admit(address))).toEqual(beside)
  })

  test.each(['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', '0.0.0.0'])(
    'nor through a gateway that is allowed: %s',
    (address) => {
      const rules = new AddressRules({ allow: ['64:ff9b::/96'] })
      expect(rules.admit(`64:ff9b::${address}`)).toBeUndefined()
      expect(rules.admit('64:ff9b::10.0.0.1')).toBe('64:ff9b::a00:1')
    },
  )

  test("the machine's own public addresses are refused unless allowed", () => {
    const own = () => ['93.184.216.34', '2a00:1450::1', 'fe80::1']
    const rules = new AddressRules({ own })
    for (const address of [
      '93.184.216.34',
      '::ffff:93.184.216.34',
      '64:ff9b::93.184.216.34',
      '2A00:1450:0::1',
    ]) {
      expect(rules.admit(address)).toBeUndefined()
    }
    expect(rules.admit('93.184.216.35')).toBe('93.184.216.35')
    expect(new AddressRules({ own, allow: ['93.184.216.34'] }).admit('93.184.216.34')).toBe('93.184.216.34')
  })

  test.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/1e1',
    '10.0.0.1/8',
    'fd00::/129',
    '::ffff:10.0.0.0/104',
    'example.com',
    '10/8',
    'fe80::%eth0/10',
  ])('a text that is no range is an error at once and not a rule that never holds: %j', (range) => {
    expect(() => new AddressRules({ allow: [range] })).toThrow(TypeError)
    expect(() => new AddressRules({ refuse: [range] })).toThrow(TypeError)
  })
})

describe('an address that no rules open', () => {
  test.each([
    ['169.254.169.254', true],
    ['64:ff9b::169.254.169.254', true],
    ['::ffff:169.254.169.254', true],
    ['0.0.0.0', true],
    ['fe80::1', true],
    ['no address', true],
    ['127.0.0.1', false],
    ['10.0.0.1', false],
    ['8.8.8.8', false],
    ['64:ff9b::8.8.8.8', false],
  ])('%s: %s', (address, never) => {
    expect(isNeverCalled(address)).toBe(never)
  })
})
