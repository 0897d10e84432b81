import type { AlertFactsStore } from '@svc/core/ports'
import type { StoresSeam } from '@svc/testing/simulator'
import type { PlantedBug } from './planted-bug.ts'

const MISSING = 'a condition that holds has an alert'
const LEFT_OVER = 'an alert ends with its condition'

const inFacts = (
  name: string,
  rules: readonly string[],
  wrong: (facts: AlertFactsStore, seam: StoresSeam) => Partial<AlertFactsStore>,
): PlantedBug => ({
  name,
  rules,
  seams: {
    stores: (stores, seam) => ({
      ...stores,
      alertFacts: { ...stores.alertFacts, ...wrong(stores.alertFacts, seam) },
    }),
  },
})

/**
 * Faults in the history that alert rules look back on: machines that report as one host, refused requests,
 * and missed ticks.
 */
export const alertFactBugs: readonly PlantedBug[] = [
  inFacts('alert: two machines that speak for one host are not seen', [MISSING], () => ({
    clones: async () => [],
  })),
  inFacts(
    'alert: a machine that was started again counts as two',
    [LEFT_OVER],
    (_facts, { tables, now }) => ({
      clones: async () =>
        tables.alerting.identities.all().map(({ licenseId, fingerprint, hostname, bootId }) => {
          return { licenseId, fingerprint, hostnames: [hostname], bootIds: [bootId], returnedAt: now() }
        }),
    }),
  ),
  inFacts('alert: refused requests are not kept', [MISSING], () => ({ addRefusals: async () => {} })),
  inFacts('alert: one refused request counts as many', [LEFT_OVER], (facts) => ({
    refusals: async (now) => (await facts.refusals(now)).map((each) => ({ ...each, count: 10 * each.count })),
  })),
  inFacts('alert: ticks that did not run are not noticed', [MISSING], (facts) => ({
    evaluated: async (gapSeconds, now) => {
      await facts.evaluated(gapSeconds, now)
      return undefined
    },
  })),
  inFacts('alert: the time between two ticks counts as a gap', [LEFT_OVER], (facts) => ({
    evaluated: (_gapSeconds, now) => facts.evaluated(20, now),
  })),
  {
    name: 'alert: refused requests wait for ever to be counted',
    rules: ['refused requests are counted'],
    seams: {
      stores: (stores) => {
        const written = new Set<string>()
        const addRefusals: AlertFactsStore['addRefusals'] = async (licenseId, count, now) => {
          if (written.has(licenseId)) throw new Error('the first write of a license was its last')
          written.add(licenseId)
          await stores.alertFacts.addRefusals(licenseId, count, now)
        }
        return { ...stores, alertFacts: { ...stores.alertFacts, addRefusals } }
      },
    },
  },
  {
    name: 'alert: a refused request is counted again at every tick',
    rules: ['a refused request is counted once'],
    seams: {
      storage: (storage) => {
        const latest = new Map<string, number>()
        const { alertFacts } = storage
        const addRefusals: AlertFactsStore['addRefusals'] = (licenseId, count, now) => {
          const before = latest.get(licenseId) ?? 0
          latest.set(licenseId, count)
          return alertFacts.addRefusals(licenseId, before + count, now)
        }
        return { ...storage, alertFacts: { ...alertFacts, addRefusals } }
      },
    },
  },
]
