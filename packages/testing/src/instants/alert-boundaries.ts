import { type AlertAction, ofLicense, type Storage } from '@svc/core'
import { buildId } from '../build-id.ts'
import { FakeClock } from '../fake-clock.ts'
import { buildAlertWrite } from '../watch/alerts/build-alert-write.ts'
import { fine, LEASE_SECONDS, MonitorsScene } from '../watch/monitors/monitors-scene.ts'
import { buildHeartbeat } from '../work/agents/build-heartbeat.ts'
import { AFTER, type Boundary, FROM, UNTIL } from './boundary.ts'

const HOUR_MS = 3_600_000

interface Opened {
  readonly storage: Storage
  readonly clock: FakeClock
  readonly key: { readonly licenseId: string; readonly dedupKey: string }
  readonly tenantId: string
  readonly alertId: string
}

async function opened(storage: Storage): Promise<Opened> {
  const clock = new FakeClock()
  const [key, tenantId] = [{ licenseId: buildId('lic'), dedupKey: 'k' }, buildId('ten')]
  const alertId = buildId('alr')
  const move = buildAlertWrite({ ...key, tenantId, alertId, revision: 0, alert: 'open', notice: 'firing' })
  await storage.alerts.move(move, clock.now(), clock.now())
  return { storage, clock, key, tenantId, alertId }
}

/** A boundary at the end of an action on an alert that lasts an hour. */
const ofAction = (
  name: string,
  { action, answers = UNTIL }: { readonly action: AlertAction; readonly answers?: Boundary['answers'] },
  ask: (alert: Opened, now: Date) => Promise<unknown>,
): Boundary => ({
  name,
  answers,
  ask: async (storage, offset) => {
    const alert = await opened(storage)
    const now = alert.clock.now()
    const until = new Date(now.getTime() + HOUR_MS)
    await storage.alerts.write({ ids: [alert.alertId], action, actor: 'ann', until } as never, now)
    return ask(alert, alert.clock.advance(HOUR_MS + offset))
  },
})

const isListed =
  (status: 'acknowledged' | 'snoozed') =>
  async ({ storage, key }: Opened, now: Date): Promise<boolean> =>
    (await storage.alerts.list(ofLicense(key.licenseId), { status, limit: 9 }, now)).length > 0

/** A boundary of a delivery that was claimed and is due again after `seconds`. */
const ofDelivery = (
  name: string,
  seconds: number,
  settle: (alert: Opened, delivery: { readonly id: string; readonly token: string }) => Promise<unknown>,
): Boundary => ({
  name,
  answers: FROM,
  ask: async (storage, offset) => {
    const alert = await opened(storage)
    const { clock, tenantId } = alert
    const id = buildId('msg')
    await storage.deliveries.add({ id, kind: 'log', recipient: tenantId }, clock.now())
    const take = async (token: string) => {
      const bounds = { limit: 1000, perRecipient: 1000, maxAttempts: 12 }
      const request = { kind: 'log', token, leaseSeconds: LEASE_SECONDS, ...bounds }
      const taken = await storage.deliveries.takeDue(request, clock.now())
      return taken.some((each) => each.recipient === tenantId)
    }
    const token = buildId('tok')
    await take(token)
    await settle(alert, { id, token })
    clock.advance(seconds * 1000 + offset)
    return take(buildId('tok'))
  },
})

async function isClone({ agents, alertFacts }: Storage, offset: number): Promise<boolean> {
  const clock = new FakeClock()
  const host = { licenseId: buildId('lic'), fingerprint: buildId('fp') }
  const beat = (bootId: string) => agents.heartbeat(buildHeartbeat({ ...host, bootId }), clock.now())
  await beat('a')
  await beat('b')
  clock.advance(600_000 + offset)
  await beat('a')
  return (await alertFacts.clones(clock.now())).some(({ fingerprint }) => fingerprint === host.fingerprint)
}

async function areRefused({ alertFacts }: Storage, offset: number): Promise<boolean> {
  const clock = new FakeClock()
  const licenseId = buildId('lic')
  await alertFacts.addRefusals(licenseId, 1, clock.now())
  const found = await alertFacts.refusals(clock.advance(300_000 + offset))
  return found.some((each) => each.licenseId === licenseId)
}

// Each evaluation of a storage must be later than all earlier ones.
const later = (year: number, offset: number): FakeClock => {
  const clock = new FakeClock(`${year}-01-01T00:00:00.000Z`)
  clock.advance({ days: 10 * (offset + 1) })
  return clock
}

async function isGap({ alertFacts }: Storage, offset: number): Promise<boolean> {
  const clock = later(2040, offset)
  await alertFacts.evaluated(900, clock.now())
  const now = clock.advance(900_000 + offset)
  return (await alertFacts.evaluated(900, now))?.until.getTime() === now.getTime()
}

async function isNews({ alertFacts }: Storage, offset: number): Promise<boolean> {
  const clock = later(2041, offset)
  await alertFacts.evaluated(900, clock.now())
  const now = clock.advance(HOUR_MS + offset)
  return (await alertFacts.evaluated(HOUR_MS, now)) !== undefined
}

async function isTaken(storage: Storage, offset: number): Promise<boolean> {
  const scene = new MonitorsScene(() => storage)
  const { id } = await scene.added()
  await scene.takeOne(id)
  scene.clock.advance(LEASE_SECONDS * 1000 + offset)
  const { token, monitor } = await scene.takeOne(id)
  if (monitor !== undefined) await scene.settle(monitor, token, fine(monitor))
  return monitor !== undefined
}

/** Boundaries of alerts, their deliveries, the facts that rules look up, and monitors. */
export const ALERT_BOUNDARIES: readonly Boundary[] = [
  ofAction('the end of an acknowledgement that is listed', { action: 'ack' }, isListed('acknowledged')),
  ofAction('the end of an acknowledgement that a step sees', { action: 'ack' }, async (alert, now) => {
    const { watches } = await alert.storage.alerts.watches(alert.key, now)
    return watches[0]?.alert?.isAcknowledged
  }),
  ofAction(
    'the end of an acknowledgement that another follows',
    { action: 'ack', answers: FROM },
    async ({ storage, alertId }, now) => {
      const until = new Date(now.getTime() + HOUR_MS)
      return (
        (await storage.alerts.write({ ids: [alertId], action: 'ack', actor: 'bob', until }, now)).length > 0
      )
    },
  ),
  ofAction('the end of a snooze', { action: 'snooze' }, isListed('snoozed')),
  ofDelivery('the end of the lease of a delivery', LEASE_SECONDS, async () => {}),
  ofDelivery('the instant at which a delivery is due again', 90, ({ storage, clock }, delivery) => {
    const retry = { state: 'due' as const, delaySeconds: 90, status: 503, error: 'status' }
    return storage.deliveries.settle({ ...delivery, ...retry }, clock.now())
  }),
  {
    name: 'the time within which a host that comes back is a clone',
    answers: [true, true, false],
    ask: isClone,
  },
  { name: 'the time for which a refusal counts', answers: UNTIL, ask: areRefused },
  { name: 'the longest time between evaluations that is no gap', answers: AFTER, ask: isGap },
  { name: 'the time for which a gap is told', answers: UNTIL, ask: isNews },
  { name: 'the end of the lease of a monitor', answers: FROM, ask: isTaken },
]
