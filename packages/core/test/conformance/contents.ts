import { PLATFORM } from '@svc/core'
import type { Stores } from '@svc/core/ports'
import { FEATURES } from '../../../../test/support/features.ts'
import { SESSION_DIGESTS } from './people-steps.ts'
import { type Ask, canonical, type World } from './world.ts'

const ALL = 1000

/** Reads everything that a storage holds through its ports. */
export const contents =
  (world: World): Ask =>
  async (stores, now) => {
    const { agents, licenses, users, tenants, deployments, audit, scheduler } = stores
    return {
      ...(await queueOf(stores, now, world)),
      ...(await alertsOf(stores, now)),
      ...(await chatOf(stores)),
      monitors: await monitorsOf(stores),
      agents: await agents.list(PLATFORM),
      licenses: await licenses.list(PLATFORM),
      licenseCalls: await licenses.calls(36_500, new Date('2100-01-01')),
      users: await users.list(),
      sessions: await sessionsOf(stores, now),
      secondFactors: await secondFactorsOf(stores, now),
      tenants: await tenants.list(PLATFORM),
      deployments: await deployments.list({ limit: ALL }),
      audit: await audit.list(ALL),
      ...(await featuresOf(stores, now)),
      tasks: [await scheduler.lastBegun('alerts'), await scheduler.lastBegun('chat')],
    }
  }

async function featuresOf(stores: Stores, now: Date) {
  const found = {}
  for (const { contents: read } of FEATURES) Object.assign(found, await read?.(stores, now))
  return found
}

// The port cannot list sessions. Instead each digest is asked for its user, and each user's sessions are
// ended and counted.
async function sessionsOf({ sessions, users }: Stores, now: Date) {
  const speaking = []
  for (const digest of SESSION_DIGESTS) speaking.push((await sessions.use(digest, now))?.user.id)
  const ended = []
  for (const { id } of await users.list()) ended.push(await sessions.revokeAll(id, now))
  return { speaking, ended }
}

async function secondFactorsOf({ secondFactors, users }: Stores, now: Date) {
  const found = []
  for (const { id } of await users.list()) found.push((await secondFactors.find(id, now)).factor)
  return { found, confirmed: [...(await secondFactors.confirmed())].sort() }
}

async function queueOf({ jobs }: Stores, now: Date, { jobs: ids }: World) {
  const stored = await jobs.list(PLATFORM, { limit: ALL })
  const logs = []
  const begun = stored.filter(({ id, attempt }) => attempt > 0 && ids.includes(id))
  for (const { id } of begun) logs.push(await jobs.logs(id, 0, ALL), await jobs.logLengths(id))
  const waiting = stored.filter(({ availableAt, serialKey }) => availableAt === undefined && serialKey)
  const holders = []
  for (const job of waiting) holders.push((await jobs.serialHolder(job))?.id)
  return { stored, logs, holders, counts: await jobs.counts(now) }
}

async function alertsOf({ alerts, alertDeliveries }: Stores, now: Date) {
  const listed = await alerts.list(PLATFORM, { limit: ALL }, now)
  const told = []
  for (const { id } of listed) told.push(await alerts.actions(id), await alertDeliveries.reports(id))
  const { watches } = await alerts.watches(undefined, now)
  const audiences = await alertDeliveries.waiting()
  return {
    alerts: listed,
    told,
    ...unordered({ watches, audiences }),
    webhooks: await alertDeliveries.webhooks(PLATFORM),
  }
}

/** Sorts lists without an order promised by the port. */
const unordered = (lists: Readonly<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.map(canonical).sort()]))

async function chatOf({ conversations }: Stores) {
  const talks = await conversations.list({ waiting: false, limit: ALL })
  const said = []
  for (const { id } of talks) said.push(await conversations.messages(id, ALL))
  return { talks, said }
}

async function monitorsOf({ monitors }: Stores) {
  const known = await monitors.list(PLATFORM, {})
  const histories = []
  for (const { id } of known) histories.push(await monitors.history(id, ALL))
  return { known, histories, counts: await monitors.counts() }
}
