import { describe, expect, it } from '@jest/globals'
import { asciiName } from '../../src/kernel/ascii-name.ts'
import { hostOf } from '../../src/watch/monitors/monitor.ts'

describe('a name as the DNS has it', () => {
  it.each([
    ['example.com', 'example.com'],
    ['_SIP._tcp.Example.com.', '_SIP._tcp.Example.com.'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example.', 'xn--bcher-kva.example.'],
    ['_dmarc.bücher.example', '_dmarc.xn--bcher-kva.example'],
    ['1.2.ü', '1.2.xn--tda'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['straße.example', 'xn--strae-oqa.example'],
    ['例え。jp', 'xn--r8jz45g.jp'],
    ['.', '.'],
    ['', ''],
  ])('%j is %j', (given, expected) => {
    expect(asciiName(given)).toBe(expected)
  })

  it.each(['bücher /.example', 'a.ü%00.example', 'ü..example', 'xn--a\u00ad.\u00ad.example'])(
    'there is none of %j',
    (given) => {
      expect(asciiName(given)).toBeUndefined()
    },
  )

  it('is taken for the host of a monitor', () => {
    expect(hostOf('_dmarc.Bücher.example.')).toBe('_dmarc.xn--bcher-kva.example')
    expect(hostOf('bücher')).toBeUndefined()
  })
})
