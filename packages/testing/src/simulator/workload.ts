import type { ControlPlane } from '@svc/core'
import type { Machine } from './host.ts'
import type { Operator } from './operator.ts'
import type { Random } from './random.ts'
import type { Scenario } from './scenario.ts'
import type { Timeline } from './timeline.ts'

/** Inputs of a workload. */
export interface WorkloadParts {
  readonly scenario: Scenario
  readonly timeline: Timeline
  readonly random: Random
  readonly operator: Operator
  readonly machines: readonly Machine[]
}

/** Makes the licenses of a run; returns their ids and the keys that hosts send. */
export async function issueLicenses(
  plane: ControlPlane,
  count: number,
): Promise<readonly { readonly id: string; readonly key: string }[]> {
  const licenses = []
  for (let index = 0; index < count; index += 1) {
    const { license, key } = await plane.licenses.issue({ label: `license ${index}` })
    licenses.push({ id: license.id, key })
  }
  return licenses
}

const SHARE_OF_RUN = 0.5

/** Plans the jobs of a run over its first half. */
export function planJobs(parts: WorkloadParts): void {
  const { scenario, timeline, random, operator } = parts
  for (let job = 0; job < scenario.jobs; job += 1) {
    const input = drawJob(parts)
    const atMs = random.fraction() * SHARE_OF_RUN * scenario.seconds * 1000
    timeline.after(atMs, 'enqueue', () => void operator.enqueue(input()))
  }
}

const APPS = ['shop', 'blog']

/** Draws a job. Returns a function that makes its input, with instants relative to the call. */
function drawJob({ random, machines, timeline }: WorkloadParts): () => Readonly<Record<string, unknown>> {
  const machine = random.pick(machines)
  const { licenseId, fingerprint, hostname } = machine.parts
  const isPick = (share: number) => random.chance(share)
  const delayMs = isPick(0.1) ? 30_000 * random.fraction() : undefined
  const fixed = {
    license: licenseId,
    ...drawWork(random),
    ...(isPick(0.3) ? { host: isPick(0.5) ? `fp:${fingerprint}` : hostname } : {}),
    ...(isPick(0.1) ? { urgent: true } : {}),
    ...(isPick(0.15) ? { serial_key: 'one' } : {}),
    ...(isPick(0.2) ? { dedupe_key: `d${random.between(1, 3)}` } : {}),
    ...(isPick(0.3) ? { max_attempts: random.between(1, 4) } : {}),
    ...(isPick(0.3) ? { timeout_seconds: random.between(20, 90) } : {}),
  }
  return () =>
    delayMs === undefined
      ? fixed
      : { ...fixed, run_at: new Date(START_MS + timeline.nowMs + delayMs).toISOString() }
}

const START_MS = Date.UTC(2026, 0, 5, 9)

function drawWork(random: Random): Readonly<Record<string, unknown>> {
  const app = random.pick(APPS)
  const source = { type: 'image', image: 'example/shop:1' }
  return random.pick([
    { kind: 'deploy', payload: { app, source } },
    { kind: 'stop', payload: { app } },
    { kind: 'prune', payload: {} },
    { kind: 'prune', payload: {} },
    { kind: 'db', payload: { op: 'backup', engine: 'sqlite', name: 'shop' } },
  ])
}

/** Each license has its jobs told to an endpoint of its own. */
export async function addEndpoints(
  { webhooks }: ControlPlane,
  licenses: readonly { readonly id: string }[],
): Promise<void> {
  for (const { id: licenseId } of licenses) {
    const url = `https://receiver.example/${licenseId}`
    await webhooks.add({ licenseId, url, description: '', events: ['job.*'], enabled: true })
  }
}
