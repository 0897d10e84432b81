import { type Config, readConfig } from '@svc/core'
import { TEST_ENVIRONMENT } from '../test-plane.ts'
import type { Scenario } from './scenario.ts'

/** The time between two ticks of a replica, in milliseconds. */
export const TICK_MS = 30_000

/** Address that alerts are announced to; every other one is an endpoint's. */
export const ALERTS_URL = 'https://receiver.example/alerts'

/**
 * The number of refused requests of a license in five minutes that opens an alert; small, since runs are
 * short.
 */
export const ALERTED_REFUSALS = 3

const configs = new Map<string, Config>()

/** Returns the settings of a scenario's planes, which are parsed once per kind. */
export function configOf({ leaseSeconds, signed }: Scenario): Config {
  const key = `${leaseSeconds} ${signed}`
  const known = configs.get(key)
  if (known !== undefined) return known
  const { SERVICE_LICENSE_PRIVKEY: privateKey, ...environment } = TEST_ENVIRONMENT
  const signing = signed ? { SERVICE_LICENSE_PRIVKEY: privateKey } : {}
  const seconds = {
    SERVICE_JOB_LEASE_SECONDS: String(leaseSeconds),
    SERVICE_ALERT_REFUSALS: String(ALERTED_REFUSALS),
  }
  const config = readConfig({ ...environment, ...signing, ...seconds })
  configs.set(key, config)
  return config
}
