import { type Config, readConfig } from '@svc/core'
import { TEST_ENVIRONMENT } from '../test-plane.ts'
import type { Scenario } from './scenario.ts'

const configs = new Map<string, Config>()

/** The settings of a scenario's planes, read once for each kind. */
export function configOf({ leaseSeconds, signed }: Scenario): Config {
  const key = `${leaseSeconds} ${signed}`
  const known = configs.get(key)
  if (known !== undefined) return known
  const { SERVICE_LICENSE_PRIVKEY: privateKey, ...environment } = TEST_ENVIRONMENT
  const signing = signed ? { SERVICE_LICENSE_PRIVKEY: privateKey } : {}
  const config = readConfig({ ...environment, ...signing, SERVICE_JOB_LEASE_SECONDS: String(leaseSeconds) })
  configs.set(key, config)
  return config
}
