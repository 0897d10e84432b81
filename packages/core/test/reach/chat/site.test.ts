import { describe, expect, it } from '@jest/globals'
import { siteHosts, siteOrigins } from '../../../src/reach/chat/site.ts'

describe('the origins of a site', () => {
  it.each([
    ['https://svc.example', ['https://svc.example', 'https://www.svc.example', 'https://docs.svc.example']],
    [
      'http://svc.example:8080/below',
      [
        'http://svc.example:8080',
        'https://svc.example:8080',
        'https://www.svc.example:8080',
        'https://docs.svc.example:8080',
      ],
    ],
    ['http://127.0.0.1:8080', ['http://127.0.0.1:8080', 'https://127.0.0.1:8080']],
    ['https://[::1]:8443', ['https://[::1]:8443']],
  ])('at %s are those that can exist', (address, origins) => {
    expect(siteOrigins(address)).toEqual(origins)
    expect([...siteHosts(address, [])]).toEqual([...new Set(origins.map((each) => new URL(each).host))])
  })
})
