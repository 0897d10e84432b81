import type { ControlPlane } from '@svc/core'

/**
 * How long after the start the first tick comes, in milliseconds: tasks that came due meanwhile do not wait
 * for a period.
 */
const FIRST_MS = 2000
/** Spread of the ticks, so that replicas that start together do not tick together. */
const SPREAD = 0.1
const SPREAD_BYTES = 4

/**
 * Ticks every `everySeconds` until disposed; disposing ends a tick under way early. Every replica may run it,
 * because a lease protects the work of a tick.
 */
export function tickLoop({ scheduler, ids, log }: ControlPlane, everySeconds: number): AsyncDisposable {
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const unit = () => Buffer.from(ids.secret(SPREAD_BYTES), 'base64url').readUInt32BE() / 2 ** 32
  const after = (ms: number) => {
    if (over.signal.aborted) return
    timer = setTimeout(
      () => {
        running = tick().finally(() => after(everySeconds * 1000))
      },
      ms * (1 + SPREAD * (2 * unit() - 1)),
    )
    timer.unref()
  }
  const tick = async () => {
    try {
      const { ran, changed, alerted, purgedChats } = await scheduler.tick(over.signal)
      const did = { ran, changed, alerted, purged_chats: purgedChats }
      if (changed + alerted + purgedChats > 0) log.info(did, 'ticked')
      else log.debug(did, 'ticked')
    } catch (err) {
      log.error({ err }, 'the tick failed; trying again')
    }
  }
  after(Math.min(FIRST_MS, everySeconds * 1000))
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort()
      clearTimeout(timer)
      await running
    },
  }
}
