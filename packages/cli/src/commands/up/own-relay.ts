import type { Config, Environment } from '@svc/core'

/** Settings with a relay in the process of the trial, whose address is known when it listens. */
export interface OwnRelay {
  readonly config: Config
  /** Names the address of the service on this machine. */
  readonly reachedAt: (url: string) => void
}

const NOT_YET = 'ws://127.0.0.1:0'

/** Gives a trial a relay of its own, unless its settings say how sessions reach hosts. */
export function withOwnRelay(config: Config, { RELAY_MODE: mode }: Environment): OwnRelay {
  if (mode?.trim() || config.faults.relay !== undefined) return { config, reachedAt: () => {} }
  const urls = [NOT_YET]
  return {
    config: { ...config, relay: { ...config.relay, mode: 'embedded', urls } },
    reachedAt: (url) => urls.splice(0, 1, url.replace(/^http/, 'ws')),
  }
}
