import { describe, expect, test } from '@jest/globals'
import type { Environment, Storage } from '@svc/core'
import { memoryStorage, testPlane } from '@svc/testing'
import { logSettingWarnings, tellSettings } from '../../src/commands/serve/start-report.ts'

/** The warnings of the service at its start. */
async function warningsOf(env: Environment, storage?: Storage): Promise<string> {
  await using faked = testPlane({ env, ...(storage && { storage }) })
  logSettingWarnings(faked.plane)
  tellSettings(faked.plane)
  const warned = faked.log.lines.filter(({ level }) => level === 'warn')
  return warned.map((line) => JSON.stringify(line)).join('\n')
}

const NO_ADDRESS = 'SERVICE_PUBLIC_URL is not set'
const OPEN_METRICS = '/metrics is open'

describe('the start of the service', () => {
  test('in production warns of an address that is not known, of open figures and of what can be guessed', async () => {
    const said = await warningsOf({
      NODE_ENV: 'production',
      MONITORS_CRON_SECRET: 'rather-short-and-secret-x',
      SERVICE_HEALTH_TOKEN: 'short-and-secret',
      SERVICE_LICENSE_KEYS: 'a key with blanks',
    })
    expect(said).toContain(NO_ADDRESS)
    expect(said).toContain(OPEN_METRICS)
    expect(said).toContain('MONITORS_CRON_SECRET is shorter than 32 characters')
    expect(said).toContain('SERVICE_HEALTH_TOKEN must be at least 24 visible ASCII characters')
    expect(said).toContain('SERVICE_LICENSE_KEYS has a key that is not of 1 to 512 visible ASCII characters')
    expect(said).not.toMatch(/short-and-secret|and-secret-x|a key with blanks/)
  })

  test('warns of a short token of the figures, and of one that no header carries', async () => {
    const short = await warningsOf({ SERVICE_METRICS_TOKEN: 'm'.repeat(31) })
    expect(short).toContain('SERVICE_METRICS_TOKEN is shorter than 32 characters')
    const odd = await warningsOf({ SERVICE_METRICS_TOKEN: `${'m'.repeat(32)} ${'m'.repeat(32)}` })
    expect(odd).toContain('SERVICE_METRICS_TOKEN must be at least 24 visible ASCII characters')
  })

  test('in production warns of an address without TLS', async () => {
    const env = { SERVICE_PUBLIC_URL: 'http://svc.example', SERVICE_METRICS_TOKEN: 'm'.repeat(32) }
    const said = await warningsOf({ NODE_ENV: 'production', ...env })
    expect(said).toContain('SERVICE_PUBLIC_URL is not https')
    expect(said).not.toContain(OPEN_METRICS)
  })

  test.each([
    [{ SERVICE_HOST: '0.0.0.0' }, true],
    [{ SERVICE_HOST: '::', SERVICE_TRUSTED_PROXY_HOPS: '2' }, true],
    [{ SERVICE_HOST: '127.0.0.1' }, false],
    [{ SERVICE_HOST: '0.0.0.0', SERVICE_TRUSTED_PROXIES: '10.0.0.0/8' }, false],
    [{ SERVICE_HOST: '0.0.0.0', SERVICE_TRUSTED_PROXY_HOPS: '0' }, false],
  ])('in production warns where clients can choose their address: %j: %s', async (env, isWarned) => {
    const said = await warningsOf({ NODE_ENV: 'production', ...env })
    expect(said.includes('set SERVICE_TRUSTED_PROXIES to the ranges')).toBe(isWarned)
    expect(await warningsOf({ NODE_ENV: 'development', ...env })).not.toContain('SERVICE_TRUSTED_PROXIES')
  })

  test('says what a relay in the process of one of several replicas means', async () => {
    const env = {
      RELAY_MODE: 'embedded',
      RELAY_URL: 'wss://relay.example',
      SERVICE_PUBLIC_URL: 'https://svc.example',
    }
    const shared = { ...memoryStorage(), kind: 'postgresql' as const }
    const said = 'With several replicas give each its own RELAY_URL'
    expect(await warningsOf(env, shared)).toContain(said)
    expect(await warningsOf(env)).not.toContain(said)
    expect(await warningsOf({ ...env, RELAY_MODE: 'external' }, shared)).not.toContain(said)
  })

  test('says nothing of these where they are as they should be, nor in development', async () => {
    const good = {
      SERVICE_METRICS_TOKEN: 'm'.repeat(32),
      MONITORS_CRON_SECRET: 'c'.repeat(32),
      SERVICE_LICENSE_KEYS: `svc_${'k'.repeat(43)}`,
    }
    const address = { SERVICE_PUBLIC_URL: 'https://svc.example' }
    const said = [
      await warningsOf({ NODE_ENV: 'production', ...good, ...address }),
      await warningsOf({ ...good, NODE_ENV: 'development', SERVICE_METRICS_TOKEN: undefined }),
    ].join('\n')
    for (const each of ['SERVICE_PUBLIC_URL', OPEN_METRICS, 'SECRET is', 'SERVICE_LICENSE_KEYS has']) {
      expect(said).not.toContain(each)
    }
  })
})
