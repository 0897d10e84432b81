import { describe, expect, it } from '@jest/globals'
import { visiblePayload } from '../../../src/kernel/redaction/visible-payload.ts'

describe('a payload for those who may not deploy', () => {
  it('keeps everything but secrets', () => {
    const payload = {
      app: 'shop',
      ports: [3000],
      source: { type: 'git', repo_url: 'https://git.example/shop.git', sha: 'b5aacadc', ref: 'main' },
      settings: { deep: [{ open: true, note: null }] },
    }
    expect(visiblePayload(payload)).toEqual(payload)
  })

  it('names what stands in env, wherever an env stands, and shows no value of it', () => {
    const env = { DB_PASS: 'Zx9-plain-secret', PORT: '3000', EMPTY: '', deep: { a: 'b' } }
    const shown = { DB_PASS: '***', PORT: '***', EMPTY: '***', deep: '***' }
    expect(visiblePayload({ env, services: [{ env }], build: { env } })).toEqual({
      env: shown,
      services: [{ env: shown }],
      build: { env: shown },
    })
    expect(visiblePayload({ env: ['DB_PASS=Zx9-plain-secret'] })).toEqual({ env: '***' })
    expect(visiblePayload({ env: 'DB_PASS=Zx9-plain-secret' })).toEqual({ env: '***' })
  })

  it('shows that a domain asks for a password, and no digest of it', () => {
    const basic_auth = { user: 'ann', hash: '$2b$10$abcdefghijklmnopqrstuv' }
    expect(visiblePayload({ domain: 'a.example.com', basic_auth })).toEqual({
      domain: 'a.example.com',
      basic_auth: { user: '***', hash: '***' },
    })
  })

  it.each([
    ['https://bob:s3cretpw99@git.example/shop.git', 'https://***@git.example/shop.git'],
    ['https://ghp_token@git.example/shop.git', 'https://***@git.example/shop.git'],
    ['HTTPS://bob:p@ss@git.example/shop.git', 'HTTPS://***@git.example/shop.git'],
    ["postgres://app:it's@db/shop?sslmode=require", 'postgres://***@db/shop?sslmode=require'],
    ['//bob:pw@git.example/shop.git', '//***@git.example/shop.git'],
    ['from http://a:b@x/1 to http://c:d@y/2', 'from http://***@x/1 to http://***@y/2'],
    ['git@git.example:shop.git', 'git@git.example:shop.git'],
    ['https://cdn.example/@scope/pkg@1.2?by=a@b', 'https://cdn.example/@scope/pkg@1.2?by=a@b'],
  ])('shows %s as %s', (address, shown) => {
    expect(visiblePayload({ source: { repo_url: address }, list: [address] })).toEqual({
      source: { repo_url: shown },
      list: [shown],
    })
  })

  it('redacts what is known to be a secret by its form', () => {
    const note = `key sk_${'live'}_${'4eC39HqLyjWDarjtT1zdp7dc'}`
    expect(visiblePayload({ note })).toEqual({ note: 'key [redacted:stripe-key]' })
  })

  it('is read in linear time, whatever it holds', () => {
    const started = performance.now()
    for (const part of ['//', 'a://', '//a', '@', '//@', 'https://a:'])
      visiblePayload({ text: part.repeat(200_000) })
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
