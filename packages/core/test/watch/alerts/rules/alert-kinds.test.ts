import { describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import {
  ALERT_KINDS,
  type AlertKind,
  type ObservedEntry,
  type OrderChange,
  type OrderState,
} from '@svc/core/ports'
import { buildEndpoint, buildOrder, buildPaymentEvent, memoryStorage, postgresStorage } from '@svc/testing'
import { sample } from '../../../../../../test/support/sample.ts'
import { buildSecurityRevision } from '../../../../../testing/src/hosts/node-security/build-security-revision.ts'
import {
  buildFinding,
  buildScan,
  buildSettlement,
} from '../../../../../testing/src/watch/surface/build-surface.ts'
import { POSTGRES, SERVER } from '../../../platform/storage/backends.ts'
import { FleetScene } from '../fleet-scene.ts'

interface Case {
  /** Causes the trouble, which lasts for at least two ticks. */
  readonly begin: (scene: FleetScene) => Promise<unknown>
  readonly end: (scene: FleetScene) => Promise<unknown>
}

const MONITOR = {
  name: 'www',
  host: 'www.example.com',
  type: 'A',
  mode: 'baseline',
  match: 'exact',
  expected: undefined,
  intervalSeconds: 300,
  confirmations: 1,
  resolvers: [],
} as const

const ENDPOINT = 'whe_00000000000000000000000001'

/** Kinds that a monitor has confirmed before the tick. */
const CONFIRMED: ReadonlySet<AlertKind> = new Set([
  'monitor_drift',
  'dns_unreachable',
  'webhook_endpoint_disabled',
  'surface_finding',
  'payment_event',
  'duplicate_subscription',
  'provider_token_invalid',
  'multiple_servers',
])

const seconds = ({ test }: FleetScene): number => test.clock.now().getTime() / 1000

async function job(scene: FleetScene, state: 'succeeded' | 'failed'): Promise<void> {
  const owner = { licenseId: scene.licenseId, fingerprint: 'fp', jobId: await claimed(scene) }
  const word = { exitCode: 1, error: undefined, attempt: undefined }
  await scene.test.plane.jobs.report({ ...owner, ...word, state })
}

const claim = ({ test, licenseId }: FleetScene) =>
  test.plane.jobs.claim({ licenseId, fingerprint: 'fp', claimKey: undefined })

async function claimed(scene: FleetScene): Promise<string> {
  await scene.test.plane.jobs.enqueue({ licenseId: scene.licenseId, kind: 'prune', payload: {} })
  return (await claim(scene)).job?.id ?? ''
}

const SHA = 'a'.repeat(40)
const CRON = { name: 'clean', schedule: '@daily', timezone: 'UTC', running: false, last_at: 7, skipped: 0 }

/** The host tells of an application, which is well but for some fields. */
async function observed(scene: FleetScene, fields: Partial<ObservedEntry>): Promise<void> {
  await scene.beat()
  const entry = { app: 'shop', state: 'up', release: 1, up: 2, of: 2, restarts: 0, ...fields } as const
  await scene.test.plane.apps.observe({ licenseId: scene.licenseId, fingerprint: 'fp' }, [entry])
}

async function watched(scene: FleetScene): Promise<void> {
  const owner = { tenantId: undefined, licenseId: scene.licenseId }
  await scene.test.plane.monitors.add({ ...MONITOR, ...owner })
}

async function scanned(
  { test, licenseId }: FleetScene,
  saw: Partial<ReturnType<typeof buildSettlement>>,
): Promise<void> {
  const { surfaceTargets, surfaceScans } = test.storage
  const own = { licenseId, domain: 'shop.example' }
  await surfaceTargets.add({ ...own, most: 1 })
  await surfaceTargets.note({ ...own, isProven: true, reason: undefined })
  const scan = buildScan(own)
  await surfaceScans.start(scan)
  await surfaceScans.take({ token: 'a', leaseSeconds: 60, mostRunning: 1, attempts: 2 })
  await surfaceScans.finish({ ...buildSettlement(scan.id, 'a'), ...saw })
}

const parkedEvent = (error: string): Case => ({
  begin: async ({ test, licenseId }) => {
    const { paymentEvents } = test.storage
    await paymentEvents.add(buildPaymentEvent({ id: 'evt_1' }), {
      state: 'received',
      error: undefined,
      delaySeconds: 60,
    })
    await paymentEvents.claim('evt_1', ['received'], { token: 'one', seconds: 60 })
    await paymentEvents.settle({ id: 'evt_1', token: 'one', state: 'parked', error, licenseId })
  },
  end: async ({ test }) => {
    await test.storage.paymentEvents.resolve('evt_1')
  },
})

const ORDER = 'pord_00000000000000000000000001'
const TOKEN = 'a digest'

/** Moves the only order, which has a server, from a state to a state. */
async function moveOrder(
  { test }: FleetScene,
  states: { readonly from: OrderState; readonly to: OrderState; readonly isDue?: boolean },
  change: OrderChange = {},
): Promise<void> {
  const { isDue = false, ...fromTo } = states
  const rest = { id: ORDER, token: undefined, step: 'step', outcome: 'failed', releases: false } as const
  const delaySeconds = isDue ? 0 : undefined
  const moved = await test.storage.provisioning.move(
    { ...rest, ...fromTo, delaySeconds, change },
    test.clock.now(),
  )
  expect(moved?.state).toBe(states.to)
}

/** An order that stays in a state, for a while, and whose server is gone then. */
const orderIn = (
  to: OrderState,
  { errorCode, isDue = false, minutes = 0 }: { errorCode: string; isDue?: boolean; minutes?: number },
): Case => ({
  begin: async (scene) => {
    const { test, licenseId } = scene
    await test.storage.provisioning.add(buildOrder({ id: ORDER, licenseId }), test.clock.now())
    await moveOrder(scene, { from: 'requested', to, isDue }, { errorCode, serverId: '4711' })
    test.clock.advance({ minutes })
  },
  end: (scene) => moveOrder(scene, { from: to, to: 'deleted' }, { errorCode: null }),
})

const figure = (field: 'diskPct' | 'memPct' | 'cpuPct'): Case => ({
  begin: (scene) => scene.beat({ [field]: 99 }),
  end: (scene) => scene.beat({ [field]: 10 }),
})

const CASES: Readonly<Record<AlertKind, Case>> = {
  host_offline: {
    begin: async (scene) => {
      await scene.beat()
      scene.test.clock.advance({ seconds: 141 })
    },
    end: (scene) => scene.beat(),
  },
  host_stopped: {
    begin: (scene) => scene.beat({ state: 'stopped' }),
    end: (scene) => scene.beat({ state: 'online' }),
  },
  disk_high: figure('diskPct'),
  mem_high: figure('memPct'),
  cpu_high: {
    begin: async (scene) => {
      for (let minute = 0; minute < 9; minute += 1) {
        await scene.beat({ cpuPct: 99 })
        expect(await scene.tick()).toMatchObject({ opened: 0 })
      }
      await scene.beat({ cpuPct: 99 })
    },
    end: (scene) => scene.beat({ cpuPct: 10 }),
  },
  backup_stale: {
    begin: (scene) => scene.beat({ lastCaptureAt: seconds(scene) - 27 * 3600 }),
    end: (scene) => scene.beat({ lastCaptureAt: seconds(scene) }),
  },
  backup_failed: {
    begin: (scene) => scene.beat({ captureSuccess: false }),
    end: (scene) => scene.beat({ captureSuccess: true }),
  },
  drill_stale: {
    begin: (scene) => scene.beat({ lastDrillAt: seconds(scene) - 36 * 86_400 }),
    end: (scene) => scene.beat({ lastDrillAt: seconds(scene) }),
  },
  drill_failed: {
    begin: (scene) => scene.beat({ drillPass: false }),
    end: (scene) => scene.beat({ drillPass: true }),
  },
  job_failed: { begin: (scene) => job(scene, 'failed'), end: (scene) => job(scene, 'succeeded') },
  job_lost: {
    begin: async (scene) => {
      await claimed(scene)
      for (let lost = 0; lost < 3; lost += 1) {
        scene.test.clock.advance({ seconds: 301 })
        await claim(scene)
      }
    },
    end: (scene) => job(scene, 'succeeded'),
  },
  cancel_unconfirmed: {
    begin: async (scene) => {
      const jobId = await claimed(scene)
      const asked = { jobId, fingerprint: undefined, reason: 'a person' }
      await scene.test.plane.jobs.cancel(PLATFORM, asked)
      scene.test.clock.advance({ seconds: 301 })
      await scene.test.plane.jobs.sweep()
    },
    end: (scene) => job(scene, 'succeeded'),
  },
  license_expiring: {
    begin: (scene) =>
      scene.test.plane.licenses.issue({
        label: 'old',
        expiresAt: new Date(scene.test.clock.now().getTime() + 13 * 86_400_000),
      }),
    end: async (scene) => {
      const old = (await scene.test.plane.licenses.list(PLATFORM)).find(({ label }) => label === 'old')
      await scene.test.plane.licenses.revoke(old?.id ?? '')
    },
  },
  rate_limited_fleet: {
    begin: async (scene) => {
      const { limits } = scene.test.plane
      const heartbeats = { name: 'heartbeat', limit: 30, windowSeconds: 60 }
      for (let beat = 0; beat < 40; beat += 1) await limits.takeByLicense(heartbeats, scene.licenseId)
    },
    end: async (scene) => scene.test.clock.advance({ minutes: 5 }),
  },
  fingerprint_collision: {
    begin: async (scene) => {
      for (const bootId of ['a', 'b', 'a']) await scene.beat({ bootId })
    },
    end: async (scene) => scene.test.clock.advance({ minutes: 10 }),
  },
  agent_key_mismatch: {
    begin: async (scene) => {
      const { storage, clock } = scene.test
      await scene.beat()
      const [host] = await storage.agents.list(ofLicense(scene.licenseId))
      for (const key of ['its own', 'another'])
        await storage.accessSessions.meet(host as never, { key, atMs: 1 }, { rule: 'pin' }, clock.now())
    },
    end: async (scene) => scene.test.clock.advance({ minutes: 10 }),
  },
  monitor_drift: {
    begin: async (scene) => {
      const { plane, dns } = scene.test
      await watched(scene)
      dns.answer(MONITOR.host, '192.0.2.1')
      await plane.monitors.runDue()
      dns.answer(MONITOR.host, '192.0.2.2')
      scene.test.clock.advance({ minutes: 10 })
      await plane.monitors.runDue()
    },
    end: (scene) => scene.test.plane.monitors.accept(MONITOR.name),
  },
  dns_unreachable: {
    begin: async (scene) => {
      const { plane, dns, clock } = scene.test
      await watched(scene)
      dns.replies(MONITOR.host, { status: 'error', error: 'servfail' })
      for (let run = 0; run < 3; run += 1) {
        await plane.monitors.runDue()
        clock.advance({ minutes: 6 })
      }
    },
    end: (scene) => scene.test.plane.monitors.pause(MONITOR.name),
  },
  webhook_endpoint_disabled: {
    begin: async ({ test, licenseId }) => {
      const { webhooks } = test.storage
      await webhooks.add(buildEndpoint({ id: ENDPOINT, licenseId }), 10)
      await webhooks.disable(ENDPOINT, 'gone')
    },
    end: ({ test }) => test.storage.webhooks.enable(ENDPOINT),
  },
  surface_finding: {
    begin: (scene) => scanned(scene, { seen: [buildFinding()] }),
    end: (scene) => scanned(scene, { fixed: [buildFinding().fingerprint] }),
  },
  security_drift: {
    begin: async (scene) => {
      const { test, licenseId } = scene
      await scene.beat()
      const { settings, updatedBy } = buildSecurityRevision()
      await test.plane.nodeSecurity.set({ licenseId, fingerprint: 'fp' }, settings, { updatedBy })
      for (let minute = 0; minute < 14; minute += 1) {
        await scene.beat()
        expect(await scene.tick()).toMatchObject({ opened: 0 })
      }
      await scene.beat()
    },
    end: async (scene) => {
      const jobId = (await claim(scene)).job?.id ?? ''
      const owner = { licenseId: scene.licenseId, fingerprint: 'fp', jobId, attempt: undefined }
      const word = { exitCode: 0, error: undefined, state: 'succeeded' } as const
      await scene.test.plane.jobs.report({ ...owner, ...word })
    },
  },
  app_down: {
    begin: (scene) => observed(scene, { state: 'down', up: 0 }),
    end: (scene) => observed(scene, {}),
  },
  app_restarts: {
    begin: (scene) => observed(scene, { restarts: 5 }),
    end: (scene) => observed(scene, { restarts: 4 }),
  },
  app_drift: {
    begin: async (scene) => {
      const { test, licenseId } = scene
      const payload = { app: 'shop', source: { type: 'git', repo_url: 'https://git.example/shop', sha: SHA } }
      await test.plane.jobs.enqueue({ licenseId, kind: 'deploy', payload, target: 'fp' })
      const jobId = (await claim(scene)).job?.id ?? ''
      const owner = { licenseId, fingerprint: 'fp', jobId, attempt: undefined }
      const word = { exitCode: 0, error: undefined, state: 'succeeded' } as const
      await test.plane.jobs.report({ ...owner, ...word })
      for (let minute = 0; minute < 4; minute += 1) {
        await observed(scene, { sha: 'b'.repeat(40) })
        expect(await scene.tick()).toMatchObject({ opened: 0 })
      }
      await observed(scene, { sha: 'b'.repeat(40) })
    },
    end: (scene) => observed(scene, { sha: SHA }),
  },
  certificate_ending: {
    begin: (scene) => observed(scene, { certificates: [{ domain: 'shop.example.com' }] }),
    end: (scene) => observed(scene, {}),
  },
  cron_failed: {
    begin: (scene) => observed(scene, { crons: [{ ...CRON, fault: 'it ended with exit code 3' }] }),
    end: (scene) => observed(scene, { crons: [CRON] }),
  },
  payment_event: parkedEvent('unknown_price'),
  duplicate_subscription: parkedEvent('duplicate_subscription'),
  provider_token_invalid: {
    begin: async ({ test }) => {
      const { provisioning } = test.storage
      await provisioning.setCredential({ provider: 'hetzner', fingerprint: TOKEN, tokenEnc: undefined })
      await provisioning.invalidated('hetzner', TOKEN, 'unauthorized')
    },
    end: ({ test }) => test.storage.provisioning.verified('hetzner', TOKEN),
  },
  provider_protocol_error: orderIn('booting', { errorCode: 'provider_protocol_error', isDue: true }),
  multiple_servers: orderIn('failed', { errorCode: 'multiple_servers' }),
  server_delete_slow: orderIn('waiting_delete', { errorCode: 'action_failed', isDue: true, minutes: 29 }),
  server_kept: orderIn('failed_kept', { errorCode: 'agent_timeout' }),
  scheduler_stalled: {
    begin: async (scene) => {
      await scene.tick()
      scene.test.clock.advance({ hours: 1 })
    },
    end: async (scene) => {
      for (let minute = 0; minute < 58; minute += 1) await scene.tick()
    },
  },
}

// Each kind on PostgreSQL takes a database of its own, so a run tries a part of them.
const PARTS = 3

describe.each([
  ['memory', async () => memoryStorage(), ALERT_KINDS],
  [POSTGRES, () => postgresStorage(SERVER), sample(ALERT_KINDS, PARTS)],
] as const)('kinds of alerts on %s', (_, storage, kinds) => {
  it.each(kinds)(
    '%s opens at the second tick, at the first where its rule is confirmed, is announced, and ends with its trouble',
    async (kind) => {
      await using scene = await FleetScene.open({ storage: await storage() })
      await CASES[kind].begin(scene)
      const drifts = kind === 'monitor_drift' ? 1 : 0
      if (!CONFIRMED.has(kind)) {
        await scene.tick()
        expect(await scene.open()).not.toContain(kind)
      }
      expect(await scene.tick()).toMatchObject({ drifts })
      expect(await scene.open()).toContain(kind)
      expect(scene.told()).toContain(`firing ${kind}`)
      await CASES[kind].end(scene)
      await scene.tick()
      expect(await scene.open()).not.toContain(kind)
      expect(scene.told()).toContain(`resolved ${kind}`)
    },
  )
})
