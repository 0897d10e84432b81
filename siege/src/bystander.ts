// A good client in a process of its own: heartbeats on one kept connection, each timed. It reports its
// figures since the last report; `mark` ends a piece of that time, which gets its own 99th percentile.
import { Agent, request } from 'node:http'
import { BYSTANDER } from './marker.ts'

const PAUSE_MS = 5

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let times: number[] = []
/** The index in `times` where the current piece begins. */
let unmarked = 0
let marked: number[] = []
let failed = 0
let target: { readonly port: number; readonly goodKey: string } | undefined

function beat({ port, goodKey }: NonNullable<typeof target>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { authorization: `Bearer ${goodKey}`, 'user-agent': BYSTANDER }
  const sent = request(
    { host: '127.0.0.1', port, method: 'POST', path: '/v1/telemetry/heartbeat', headers, agent },
    (answer) => answer.resume().once('end', () => resolve(answer.statusCode ?? 0)),
  )
  sent.once('error', reject)
  sent.end(JSON.stringify({ fingerprint: BYSTANDER, hostname: 'good' }))
  return promise
}

async function round(): Promise<void> {
  const asked = target
  if (asked !== undefined) {
    const start = performance.now()
    const status = await beat(asked).catch(() => 0)
    // If the scene changed meanwhile, the old key is no longer valid, and the answer does not count.
    if (asked === target) {
      times.push(performance.now() - start)
      failed += Number(status !== 200)
    }
  }
  setTimeout(() => void round(), PAUSE_MS)
}

const at = (share: number, of = times): number =>
  of[Math.min(of.length - 1, Math.floor(of.length * share))] ?? 0
const inOrder = (some: readonly number[]) => some.toSorted((one, other) => one - other)

process.on('message', (message) => {
  if (message === 'mark') {
    marked.push(at(0.99, inOrder(times.slice(unmarked))))
    unmarked = times.length
    process.send?.('marked')
    return
  }
  if (message !== 'tell') {
    target = message === 'rest' ? undefined : (message as typeof target)
    process.send?.('heard')
    return
  }
  times = inOrder(times)
  process.send?.({ beats: times.length, failed, p50: at(0.5), p99: at(0.99), max: at(1), marked })
  times = []
  unmarked = 0
  marked = []
  failed = 0
})
process.once('disconnect', () => process.exit(0))
void round()
process.send?.('ready')
