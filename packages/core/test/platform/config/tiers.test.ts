import { describe, expect, it } from '@jest/globals'
import { configSummary, readConfig } from '../../../src/wiring/settings.ts'

const tiers = (text: string) => readConfig({ SERVICE_LICENSE_TIERS: text }).licensing.tiers
const billing = (env: Record<string, string>) => {
  const { billing: read, faults } = readConfig(env)
  return faults.billing ?? read.prices
}

describe('the table of tiers', () => {
  it('names a plan and features for each tier', () => {
    expect(tiers('starter=starter:deploy, db; pro=business:deploy,db,db')).toEqual({
      starter: { plan: 'starter', features: ['deploy', 'db'] },
      pro: { plan: 'business', features: ['deploy', 'db'] },
    })
  })

  it.each([
    'pro',
    'pro=',
    'pro=business',
    'pro=business:',
    'Pro=business:db',
    'pro=a:db;pro=b:db',
    'pro=a:db;',
  ])('is refused as %j', (text) => {
    expect(() => tiers(text)).toThrow(/SERVICE_LICENSE_TIERS must be tiers such as/)
  })
})

describe('the prices of tiers', () => {
  it('are a family of variables, of which the empty ones are unset', () => {
    const env = { PAYMENT_PRICE_PRO: ' price_2 ', PAYMENT_PRICE_BIG_TEAM: 'price_3', PAYMENT_PRICE_OLD: '' }
    expect(billing(env)).toEqual({ price_2: 'pro', price_3: 'big_team' })
    expect(configSummary(readConfig(env))['PAYMENT_PRICE_<TIER>']).toBe('big_team, pro')
  })

  it.each([
    [{ PAYMENT_PRICE_PRO: 'prod_1' }],
    [{ PAYMENT_PRICE_PRO: 'price_1', PAYMENT_PRICE_TEAM: 'price_1' }],
    [{ PAYMENT_PRICE_: 'price_1' }],
    [{ PAYMENT_PRICE_pro: 'price_1' }],
    [{ PAYMENT_PRICE_PRO: 'price_1\nPAYMENT_PRICE_TEAM=price_2' }],
  ])('close billing, and nothing else, as %j', (env) => {
    expect(billing(env)).toEqual([expect.stringMatching(/^PAYMENT_PRICE_<TIER> must be/)])
  })
})
