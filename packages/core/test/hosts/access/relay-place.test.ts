import { describe, expect, it } from '@jest/globals'
import { readConfig } from '@svc/core'
import { relayLack, relayOf } from '../../../src/hosts/access/relay-place.ts'
import { relayCheck } from '../../../src/watch/health/relay-check.ts'

const GOOD = { NODE_ENV: 'production', RELAY_MODE: 'external', RELAY_URL: 'wss://relay.example' }

describe('a relay', () => {
  it.each([
    ['is there', GOOD, 'ready', undefined],
    ['is off', { ...GOOD, RELAY_MODE: 'off' }, 'ready', 'off'],
    ['is off when nothing is said', {}, 'ready', 'off'],
    ['has no address', { ...GOOD, RELAY_URL: '' }, 'ready', 'no-address'],
    ['has no key', GOOD, 'unset', 'no-key'],
    ['has an unusable key', GOOD, 'unusable', 'no-key'],
    ['is reached in plain text', { ...GOOD, RELAY_URL: 'ws://relay.example' }, 'ready', 'plain-address'],
    ['is on this machine', { ...GOOD, RELAY_URL: 'ws://127.0.0.1:8080' }, 'ready', undefined],
    ['is tried out', { ...GOOD, NODE_ENV: 'test', RELAY_URL: 'ws://relay.example' }, 'ready', undefined],
    ['has an address of the web', { ...GOOD, RELAY_URL: 'https://relay.example' }, 'ready', 'bad-setting'],
    [
      'has a password in its address',
      { ...GOOD, RELAY_URL: 'wss://a:b@relay.example' },
      'ready',
      'bad-setting',
    ],
    ['has an unknown mode', { ...GOOD, RELAY_MODE: 'on' }, 'ready', 'bad-setting'],
    ['has a bad limit', { ...GOOD, RELAY_MAX_SESSIONS: '0' }, 'ready', 'bad-setting'],
    ['hands out bad tokens', { ...GOOD, ACCESS_TOKEN_TTL_S: 'long' }, 'ready', 'bad-setting'],
  ] as const)('%s', (_what, env, signer, lack) => {
    expect(relayLack(readConfig(env), signer)).toBe(lack)
  })

  it('of a session is the same for both sides, and every relay gets its share', () => {
    const urls = ['wss://a.example', 'wss://b.example', 'wss://c.example']
    const drawn = Array.from({ length: 300 }, (_, n) => relayOf(urls, `acs_${n}`))
    expect(drawn).toEqual(Array.from({ length: 300 }, (_, n) => relayOf(urls, `acs_${n}`)))
    for (const url of urls) expect(drawn.filter((each) => each === url).length).toBeGreaterThan(60)
  })

  it.each([
    [{}, 'postgresql', { status: 'skipped', detail: 'not-configured' }],
    [{ RELAY_MODE: 'embedded' }, 'postgresql', { status: 'fail', detail: 'bad-setting' }],
    [{ ...GOOD, RELAY_MODE: 'embedded' }, 'postgresql', { status: 'warn', detail: 'one-replica' }],
    [{ ...GOOD, RELAY_MODE: 'embedded' }, 'pglite-folder', { status: 'ok' }],
    [GOOD, 'postgresql', { status: 'ok' }],
    [{ ...GOOD, RELAY_PAIR_TIMEOUT_S: 'x' }, 'postgresql', { status: 'fail', detail: 'bad-setting' }],
  ] as const)('is judged by the system check: %j on %s', (env, kind, finding) => {
    const config = readConfig(env)
    const check = relayCheck(config, kind, () => relayLack(config, 'ready'))
    expect(check.run(new AbortController().signal)).toEqual(finding)
  })
})
