import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { AppProcess } from '@svc/core/adapters'

/** An instance whose health is asked for. */
export interface Examined {
  /** The address that answered. */
  host: string
  readonly isRunning: boolean
  /** Resolves when it has ended, to how. */
  readonly ended: Promise<string>
}

const DEFAULT_SECONDS = 30
/** Good answers in a row that make an instance healthy. */
const GOOD_ANSWERS = 2
const ASK_MS = 5_000
/** The wait after an answer that is not good, at first and at most, and in times of the start until now. */
const WAIT_MS = 10
const WAIT_MAX_MS = 200
const WAIT_SHARE = 0.1

/** The status of one answer, or the reason why there is none. */
type Answer = number | string

function ask(host: string, port: number, path: string): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const headers = { host: 'localhost', 'user-agent': 'svc-health', connection: 'close' }
  const asked = request({ host, port, path, headers, agent: false, timeout: ASK_MS }, (response) => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
  asked.once('timeout', () => asked.destroy(new Error(`no answer within ${ASK_MS / 1000} s`)))
  asked.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  asked.end()
  return promise
}

/** A path of its own wants success; any answer that is no fault of the server does for the default one. */
const isGood = (answer: Answer, path: string | undefined): boolean =>
  typeof answer === 'number' &&
  answer >= (path === undefined ? 100 : 200) &&
  answer < (path === undefined ? 500 : 400)

/** Whether an instance answers a path with success. */
export const isWell = async (port: number, path: string): Promise<boolean> =>
  isGood(await ask('127.0.0.1', port, path), path)

/** Whether anything answers at the address that rules lead to. */
export const answers = async (port: number): Promise<boolean> =>
  typeof (await ask('127.0.0.1', port, '/')) === 'number'

/** Programs may listen at the other loopback address alone. */
async function askBoth(instance: Examined, port: number, path: string): Promise<Answer> {
  const first = await ask(instance.host, port, path)
  if (first !== 'ECONNREFUSED') return first
  const other = instance.host === '::1' ? '127.0.0.1' : '::1'
  const second = await ask(other, port, path)
  if (typeof second === 'number') instance.host = other
  return typeof second === 'number' ? second : first
}

/**
 * Waits until an instance has given two good answers in a row. Returns why it is not healthy, such as that it
 * has ended; undefined when it is.
 */
export async function becomesHealthy(
  instance: Examined,
  port: number,
  health: AppProcess['health'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = health?.path
  const seconds = health?.timeout_s ?? DEFAULT_SECONDS
  const began = performance.now()
  const until = began + seconds * 1000
  let good = 0
  let last: Answer = 'nothing'
  while (performance.now() < until && instance.isRunning && !signal.aborted) {
    last = await askBoth(instance, port, path ?? '/')
    good = isGood(last, path) ? good + 1 : 0
    if (good === GOOD_ANSWERS) return instance.isRunning ? undefined : `it ended with ${await instance.ended}`
    if (good > 0) continue
    const share = WAIT_SHARE * (performance.now() - began)
    await pause(Math.min(Math.max(WAIT_MS, share), WAIT_MAX_MS))
  }
  if (!instance.isRunning) return `it ended with ${await instance.ended}`
  if (signal.aborted) return 'the deploy was called off'
  return `GET ${path ?? '/'} at port ${port} gave ${last}, and no two good answers within ${seconds} s`
}

/** Waits until an instance without a port has lived for a while. Returns the reason why it did not. */
export async function staysAlive(
  { ended }: Pick<Examined, 'ended'>,
  aliveMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const over = new AbortController()
  const passed = pause(aliveMs, undefined, { signal: AbortSignal.any([signal, over.signal]) }).then(
    () => undefined,
    () => 'the deploy was called off',
  )
  const early = ended.then((how) => `it ended with ${how}`)
  return Promise.race([passed, early]).finally(() => over.abort())
}
