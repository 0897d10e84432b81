// Settings whose effect no other suite needs, each seen on a plane with it and on one without it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, ofLicense, PLATFORM } from '@svc/core'
import { buildHeartbeat, FakeClock, FakeTimers, ScriptedModel, testPlane } from '@svc/testing'
import { eventText, signedBy } from '../../../../../test/support/payment-provider.ts'
import { buildSecurityRevision } from '../../../../testing/src/hosts/node-security/build-security-revision.ts'
import { readAgentRequest } from '../../../src/reach/browser/browser-requests.ts'
import { billingScene } from '../../reach/billing/billing-scene.ts'
import { FleetScene } from '../../watch/alerts/fleet-scene.ts'
import { describeEffects, outcomeOf } from './setting-effect.ts'

const DAY_MS = 86_400_000
const HOST = { fingerprint: 'fp-settings-0001', hostname: 'web-1' }
const RELAY = { RELAY_MODE: 'external', RELAY_URL: 'wss://relay.example' }
const NO_PROOF = { headers: { key: undefined, proof: undefined }, gone: new AbortController().signal }

/** A plane with a license and one host. */
async function planeWithHost(env: Environment) {
  const faked = testPlane({ env })
  const { id: licenseId } = await faked.license()
  const host = { licenseId, fingerprint: HOST.fingerprint }
  await faked.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, ...HOST }), jobs: [] })
  return { faked, plane: faked.plane, host, [Symbol.asyncDispose]: () => faked[Symbol.asyncDispose]() }
}

/** The sessions that a host without a key hears of six seconds after one was opened. */
async function sessionsAfterSixSeconds(env: Environment): Promise<number | string> {
  await using scene = await planeWithHost({ ...RELAY, ...env })
  await scene.plane.operations.run('ssh.open', { host: 'web-1' }, 'ann')
  scene.faked.clock.advance({ seconds: 6 })
  const asked = scene.plane.access.pending({ ...scene.host, ...NO_PROOF, waitSeconds: 0 })
  return asked.then(
    ({ tickets }) => tickets.length,
    ({ code }) => code,
  )
}

/** The kinds of alerts that are open two minutes after a trouble of the fleet. */
async function alertsAfter(
  env: Environment,
  trouble: (scene: FleetScene) => Promise<unknown>,
  later = 0,
): Promise<readonly string[]> {
  await using scene = await FleetScene.open({ env })
  await trouble(scene)
  for (let tick = 0; tick < 2; tick += 1) await scene.tick()
  scene.test.clock.advance({ hours: later })
  await scene.tick()
  return scene.open()
}

async function drift(scene: FleetScene): Promise<void> {
  await scene.beat()
  const { settings, updatedBy } = buildSecurityRevision()
  const host = { licenseId: scene.licenseId, fingerprint: 'fp' }
  await scene.test.plane.nodeSecurity.set(host, settings, { updatedBy })
  await scene.beat()
}

async function failedJob({ test, licenseId }: FleetScene): Promise<void> {
  const { jobs } = test.plane
  await jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
  const { job } = await jobs.claim({ licenseId, fingerprint: 'fp', claimKey: undefined })
  const owner = { licenseId, fingerprint: 'fp', jobId: job?.id ?? '', attempt: undefined }
  await jobs.report({ ...owner, exitCode: 1, error: undefined, state: 'failed' })
}

async function refusedTenTimes({ test, licenseId }: FleetScene): Promise<void> {
  const heartbeats = { name: 'heartbeat', limit: 30, windowSeconds: 60 }
  for (let beat = 0; beat < 40; beat += 1) await test.plane.limits.takeByLicense(heartbeats, licenseId)
}

const endsIn =
  (days: number) =>
  ({ test: { plane, clock } }: FleetScene) =>
    plane.licenses.issue({ label: 'short', expiresAt: new Date(clock.now().getTime() + days * DAY_MS) })

/** How many alerts are kept two days after the only one was resolved. */
async function keptAlerts(env: Environment): Promise<number> {
  await using scene = await FleetScene.open({ env })
  for (const diskPct of [99, 99, 10, 10]) {
    await scene.beat({ diskPct })
    await scene.tick()
  }
  scene.test.clock.advance({ hours: 48 })
  await scene.test.plane.alerts.purge()
  return (await scene.test.plane.alerts.list(PLATFORM, {})).alerts.length
}

/** Asks the system check about a tick that is 1,000 seconds old. */
async function oldTick(env: Environment): Promise<string | undefined> {
  await using faked = testPlane({ env })
  await faked.plane.scheduler.tick()
  faked.clock.advance({ seconds: 1000 })
  const { checks } = await faked.plane.systemCheck.run()
  return checks.find(({ name }) => name === 'scheduler')?.status
}

/** Days from the end of the paid period to the end of the license. */
async function graceDays(env: Environment): Promise<number> {
  await using scene = await billingScene({ env: env as Record<string, string> })
  await scene.send('customer.subscription.updated', scene.subscribe())
  const { expiresAt, currentPeriodEnd } = (await scene.license()) as Record<string, Date>
  return (Number(expiresAt) - Number(currentPeriodEnd)) / DAY_MS
}

/** Receives an event that was signed 100 seconds ago. */
async function lateEvent(env: Environment): Promise<string> {
  await using scene = await billingScene({ env: env as Record<string, string> })
  const text = eventText('customer.created', { id: 'cus_1' })
  const signature = signedBy(text, new Date(scene.test.clock.now().getTime() - 100_000))
  return await outcomeOf(scene.test.plane.paymentEvents.receive({ body: Buffer.from(text), signature }))
}

const CALLER = { id: 'setting:test', isStored: false }
const alive = () => new AbortController().signal

/** How many of three pages are worked on while none of them has come. */
async function pagesAtOnce(env: Environment): Promise<number> {
  await using faked = testPlane({ env })
  const came = Promise.withResolvers<void>()
  const urls = ['a', 'b', 'c'].map((name) => `https://${name}.example.com/`)
  for (const url of urls) faked.browser.pages.set(url, { until: came.promise })
  const work = urls.map((url) => faked.plane.browserWorker.scrape(CALLER, { url }, alive()))
  await sleep(50)
  const { pagesOpen } = faked.browser
  came.resolve()
  await Promise.all(work)
  return pagesOpen
}

/** Whether a page that was kept is still open after ten minutes without use. */
async function keptPage(env: Environment): Promise<number> {
  const clock = new FakeClock()
  const timers = new FakeTimers(clock)
  await using faked = testPlane({ env, clock, parts: { timers, agentModel: new ScriptedModel([]) } })
  const request = readAgentRequest({ url: 'https://www.example.com/', goal: 'look', mode: 'observe' })
  await faked.plane.browserWorker.agent(CALLER, request, alive(), {})
  await timers.advance({ seconds: 600 })
  return faked.browser.pagesOpen
}

async function unusualPort(env: Environment): Promise<string> {
  await using faked = testPlane({ env })
  return await outcomeOf(
    faked.plane.browserWorker.scrape(CALLER, { url: 'https://www.example.com:9443/' }, alive()),
  )
}

/** Whether the secret before the last is still good two minutes after a rotation. */
async function oldSecret(env: Environment): Promise<boolean> {
  await using scene = await planeWithHost({ SERVICE_PUBLIC_URL: 'https://svc.example', ...env })
  const { plane, host, faked } = scene
  const given = { fingerprint: host.fingerprint, repoUrl: 'https://git.example/acme/shop.git' }
  const { hook } = await plane.gitHooks.set(host.licenseId, 'shop', given)
  await plane.gitHooks.rotate(hook)
  faked.clock.advance({ seconds: 120 })
  const kept = await plane.storage.gitHooks.secrets(hook.id, plane.clock.now())
  return kept.some(({ kind }) => kind === 'previous')
}

/** How many images are kept two days after they left their repository. */
async function keptImages(env: Environment): Promise<number> {
  await using scene = await planeWithHost(env)
  const { licenseId, fingerprint } = scene.host
  const registered = (digit: string, more: object = {}) =>
    scene.plane.images.register(licenseId, { fingerprint, checksum: digit.repeat(64), repo: 'r', ...more })
  await registered('a')
  await registered('b', { present: [], confirm_empty: true })
  scene.faked.clock.advance({ hours: 48 })
  await scene.plane.images.purge()
  return (await scene.plane.images.list(ofLicense(licenseId), { limit: 10 })).length
}

/** How many slots of a host are there after a week without heartbeats. */
async function keptUsage(env: Environment): Promise<number> {
  await using scene = await planeWithHost(env)
  const { hostUsage } = scene.plane
  hostUsage.note(scene.host, { cpuPct: 50 })
  await hostUsage.stop()
  scene.faked.clock.advance({ hours: 24 * 7 })
  await hostUsage.upkeep()
  return (await hostUsage.view(scene.host)).month.points.length
}

async function isAgentOnly(env: Environment): Promise<boolean> {
  await using faked = testPlane({ env })
  return (await faked.plane.licenses.issue({ label: 'web' })).license.agentOnly
}

/** The seconds that a host waits for the confirmation of its firewall. */
async function rollback(env: Environment): Promise<unknown> {
  await using scene = await planeWithHost(env)
  const { settings, updatedBy } = buildSecurityRevision()
  const { jobId } = await scene.plane.nodeSecurity.set(scene.host, settings, { updatedBy })
  return (await scene.plane.jobs.get(PLATFORM, jobId ?? '')).payload.rollback_s
}

/** Whether a second key may be minted while the first one is active. */
async function secondKey(env: Environment): Promise<string> {
  await using scene = await planeWithHost(env)
  const { licenseId, fingerprint: source_fingerprint } = scene.host
  const other = { licenseId, fingerprint: 'fp-settings-0002', hostname: 'web-2' }
  await scene.plane.agents.heartbeat({ ...buildHeartbeat(other), jobs: [] })
  const hosts = { source_fingerprint, target_fingerprint: other.fingerprint }
  const key = { ...hosts, mode: 'pull', max_uses: 1, ttl_s: 600 } as const
  await scene.plane.transferKeys.mint(licenseId, key)
  return (await scene.plane.transferKeys.mint(licenseId, key)).outcome
}

describeEffects('settings of sessions on hosts', [
  {
    name: 'ACCESS_AGENT_KEY',
    value: 'require',
    seen: sessionsAfterSixSeconds,
    unset: 1,
    set: 'agent-key-mismatch',
  },
  { name: 'ACCESS_PENDING_TTL_S', value: '5', seen: sessionsAfterSixSeconds, unset: 1, set: 0 },
])

describeEffects('settings of alerts', [
  {
    name: 'SERVICE_ALERT_DRIFT_MINUTES',
    value: '0',
    seen: (env) => alertsAfter(env, drift),
    unset: [],
    set: ['security_drift'],
  },
  {
    name: 'SERVICE_ALERT_JOB_HOURS',
    value: '1',
    seen: (env) => alertsAfter(env, failedJob, 2),
    unset: ['job_failed'],
    set: [],
  },
  {
    name: 'SERVICE_ALERT_LICENSE_DAYS',
    value: '30',
    seen: (env) => alertsAfter(env, endsIn(20)),
    unset: [],
    set: ['license_expiring'],
  },
  {
    name: 'SERVICE_ALERT_REFUSALS',
    value: '11',
    seen: (env) => alertsAfter(env, refusedTenTimes),
    unset: ['rate_limited_fleet'],
    set: [],
  },
  { name: 'SERVICE_ALERT_RETENTION_DAYS', value: '1', seen: keptAlerts, unset: 1, set: 0 },
  { name: 'SERVICE_ALERT_STALL_SECONDS', value: '1001', seen: oldTick, unset: 'fail', set: 'ok' },
])

describeEffects('settings of payments', [
  { name: 'BILLING_GRACE_DAYS', value: '3', seen: graceDays, unset: 14, set: 3 },
  {
    name: 'PAYMENT_TOLERANCE_SECONDS',
    value: '30',
    seen: lateEvent,
    unset: 'done',
    set: 'invalid-signature',
  },
])

describeEffects('settings of the browser', [
  { name: 'BROWSER_MAX_CONCURRENCY', value: '1', seen: pagesAtOnce, unset: 2, set: 1 },
  { name: 'BROWSER_SESSION_TTL_S', value: '900', seen: keptPage, unset: 0, set: 1 },
  { name: 'BROWSER_ALLOWED_PORTS', value: '9443', seen: unusualPort, unset: 'url-not-allowed', set: 'done' },
])

describeEffects('settings of licenses and hosts', [
  { name: 'GIT_SECRET_GRACE_S', value: '60', seen: oldSecret, unset: true, set: false },
  { name: 'IMAGES_PRUNED_RETENTION_DAYS', value: '1', seen: keptImages, unset: 2, set: 1 },
  { name: 'HOST_USAGE_RETENTION_DAYS', value: '5', seen: keptUsage, unset: 1, set: 0 },
  { name: 'SERVICE_LICENSES_AGENT_ONLY', value: '1', seen: isAgentOnly, unset: false, set: true },
  { name: 'NODE_SECURITY_ROLLBACK_S', value: '200', seen: rollback, unset: 60, set: 200 },
  { name: 'TRANSFER_MAX_ACTIVE', value: '1', seen: secondKey, unset: 'minted', set: 'full' },
])
