import {
  type ControlPlane,
  type ControlPlaneParts,
  createControlPlane,
  type Environment,
  readConfig,
  type Storage,
} from '@svc/core'
import { Passwords, type Resolver } from '@svc/core/ports'
import { FakeClock } from './fake-clock.ts'
import { FakeIds } from './fake-ids.ts'
import { leaksIn } from './leaks.ts'
import { memoryStorage } from './memory-storage.ts'
import { ScriptedBrowser } from './reach/browser/scripted-browser.ts'
import { RecordingLog } from './recording-log.ts'
import { ScriptedDns } from './watch/monitors/scripted-dns.ts'

/** A control plane over fakes, with the fakes that control it. */
export interface TestPlane {
  readonly plane: ControlPlane
  readonly storage: Storage
  readonly clock: FakeClock
  readonly ids: FakeIds
  readonly log: RecordingLog
  readonly dns: ScriptedDns
  /** The browser of the plane, unless its parts have another. */
  readonly browser: ScriptedBrowser
  /** Issues a usable license; returns its id and the key that hosts send. */
  license(label?: string): Promise<{ readonly id: string; readonly key: string }>
  [Symbol.asyncDispose](): Promise<void>
}

/** Parts of the plane that a test may supply. */
export interface TestPlaneOverrides {
  /** Settings that override `TEST_ENVIRONMENT`; undefined removes a setting. */
  readonly env?: Environment
  readonly storage?: Storage
  readonly clock?: FakeClock
  /** Further parts of the plane. */
  readonly parts?: Pick<
    ControlPlaneParts,
    | 'agentModel'
    | 'browserEngine'
    | 'dns'
    | 'docsDir'
    | 'docsPages'
    | 'languageModel'
    | 'mailRelay'
    | 'modelProbe'
    | 'outbound'
    | 'passwords'
    | 'paymentProvider'
    | 'providerOutbound'
    | 'rateCounter'
    | 'resolver'
    | 'timers'
  >
}

/** Binary logarithm of the cost of password hashes: 30 µs each instead of 0.4 s. */
const QUICK_LOG_N = 4

/** A public address for every name: no test calls it, since the browser is scripted. */
const NOWHERE: Resolver = { resolve: async () => ['192.88.98.1'] }

/** Settings of a test plane: the rules of production, with published secrets. */
export const TEST_ENVIRONMENT: Environment = {
  NODE_ENV: 'production',
  SERVICE_LICENSE_PRIVKEY: Buffer.alloc(32, 7).toString('base64url'),
  SERVICE_SESSION_SECRET: 'a session secret for tests, 32 characters and more',
  SERVICE_DATA_KEYS: `test:${Buffer.alloc(32, 11).toString('base64')}`,
  ATTACK_SURFACE_SECRET: 'a secret of challenges for tests, 32 characters',
  // Suites about scans let them begin: elsewhere nothing runs behind a test.
  ATTACK_SURFACE_MAX_CONCURRENT: '0',
  // Nothing listens there: no scan of a test leaves the machine.
  CT_URL: 'http://127.0.0.1:9/?q={domain}',
  MONITORS_CRON_SECRET: 'a-cron-secret-that-the-tests-give',
  PROVISIONING_WORKER_SECRET: 'a-worker-secret-that-the-tests-give',
  EMAIL_SPF_INCLUDE: '_spf.svc.example',
}

/**
 * Makes a control plane over fakes. Disposing it disposes its storage, and fails when its log contains a
 * license key, a session, a private key or a secret of its settings.
 */
export function testPlane(overrides: TestPlaneOverrides = {}): TestPlane {
  const clock = overrides.clock ?? new FakeClock()
  const ids = new FakeIds(clock)
  const log = new RecordingLog()
  const dns = new ScriptedDns()
  const passwords = new Passwords(QUICK_LOG_N)
  const browser = new ScriptedBrowser()
  const storage = overrides.storage ?? memoryStorage(clock)
  const env = { ...TEST_ENVIRONMENT, ...overrides.env }
  const config = readConfig(env)
  const fakes = { config, storage, clock, ids, log }
  const stand = { dns, threads: false, passwords, browserEngine: () => browser, resolver: NOWHERE }
  const plane = createControlPlane({ ...stand, ...overrides.parts, ...fakes })
  return {
    plane,
    storage,
    clock,
    ids,
    log,
    dns,
    browser,
    license: async (label = '') => {
      const { license, key } = await plane.licenses.issue({ label })
      return { id: license.id, key }
    },
    [Symbol.asyncDispose]: async () => {
      plane.health.drain()
      await plane.browserWorker[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
      const leaks = leaksIn(log.text(), env)
      if (leaks.length > 0) throw new Error(`the log of this plane holds ${leaks.join(', ')}`)
    },
  }
}
