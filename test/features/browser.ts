import fc from 'fast-check'
import { rarely, type Step, steps } from '../../packages/core/test/conformance/world.ts'
import { change, confirmedChange, nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const id = fc.constantFrom('brt_1', 'brt_2', 'brt_3')
const runId = fc.constantFrom('brs_1', 'brs_2', 'brs_3', 'brs_4')
const digest = fc.constantFrom('browser-token-1', 'browser-token-2')

const addToken = steps(
  'add browser token',
  fc.record({ id, digest, licenseId: rarely(fc.constant('lic_a')), dailyLimit: fc.constantFrom(0, 1, 2) }),
  (made) =>
    () =>
    ({ browser }, now) =>
      browser.addToken({ ...made, label: 'crawler' }, now),
)
const useToken = steps(
  'use browser token',
  fc.record({ digest, id, revokes: fc.boolean() }),
  (given) =>
    () =>
    async ({ browser }, now) => [
      await browser.useToken(given.digest, now),
      given.revokes ? await browser.revokeToken(given.id, now) : await browser.hasTokens(),
    ],
)
const begin = steps(
  'begin browser run',
  fc.record({ id: runId, tokenId: id, isStored: fc.boolean() }),
  ({ isStored, ...run }) =>
    () =>
    ({ browser }, now) =>
      browser.begin({ ...run, kind: 'scrape', urlHost: 'www.example.com' }, isStored, now),
)
const finish = steps(
  'finish browser run',
  fc.record({
    id: runId,
    status: fc.constantFrom('completed', 'failed'),
    days: rarely(fc.constantFrom(0, 30)),
  }),
  ({ days, ...end }) =>
    () =>
    async ({ browser }, now) => {
      await browser.finish({ ...end, steps: 1, ms: 2, bytes: 3, llmTokens: 4 })
      return days === undefined ? browser.listRuns(2) : browser.purge(days, now)
    },
)

const wrongToken = () => ({ token: 'brt_none' })

/** Access to the browser worker, and the random steps of its store. */
export const feature: Feature = {
  operations: {
    'browser-tokens.issue': confirmedChange(
      () => ({ label: 'crawler', daily: 10 }),
      () => ({ license: 'lic_none' }),
    ),
    'browser-tokens.list': read('platform.admin', nothing),
    'browser.runs': read('platform.admin', nothing, ['invalid-input', () => ({ limit: 'x' })]),
    'browser.scrape': change(
      'platform.admin',
      () => ({ url: 'https://www.example.com/' }),
      () => ({ url: 'file:///etc/passwd' }),
      'url-not-allowed',
    ),
    'browser.run': change(
      'platform.admin',
      () => ({ url: 'https://www.example.com/', goal: 'find the price' }),
      () => ({ url: 'https://www.example.com/' }),
      'invalid-input',
    ),
    'browser-tokens.revoke': change(
      'platform.admin',
      ({ own }) => ({ token: own.things.browserToken }),
      wrongToken,
    ),
  },
  requests: {
    'POST /api/v1/browser/scrape': {
      asks: 'a browser token',
      body: () => ({ url: 'https://www.example.com/' }),
      good: 200,
    },
    'POST /api/v1/browser/agent': {
      asks: 'a browser token',
      body: () => ({ url: 'https://www.example.com/', mode: 'observe' }),
      good: 200,
    },
  },
  stage: async ({ browserTokens }) => {
    const { token } = await browserTokens.issue({ label: 'staged', licenseId: undefined, dailyLimit: 100 })
    return { browserToken: token.id }
  },
  commands: {
    'browser scrape': () => ['https://www.example.com/'],
    'browser run': () => ['find the price', '--page', 'https://www.example.com/'],
    'browser runs': () => [],
    'browser tokens issue': () => ['--label', 'crawler'],
    'browser tokens list': () => [],
    'browser tokens revoke': ({ things }) => [things.browserToken ?? ''],
  },
  steps: [
    { weight: 1, arbitrary: addToken },
    { weight: 1, arbitrary: useToken },
    { weight: 2, arbitrary: begin },
    { weight: 1, arbitrary: finish },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ browser }) => ({
    browserTokens: await browser.listTokens(),
    browserRuns: await browser.listRuns(1000),
  }),
}
