/** The source of time. Tests pass a fake; in production time in stores is the database's own. */
export interface Clock {
  /** The present instant: token lifetimes, rate windows, durations shown to people. */
  now(): Date
  /**
   * What a service hands to a store as `now`. `undefined` in production: the statement then says `now()`, so
   * that replicas whose clocks disagree still agree on who holds a lease.
   */
  forStores(): Date | undefined
}

/** The machine's clock: the only place that reads it. */
export const systemClock: Clock = {
  now: () => new Date(),
  forStores: () => undefined,
}
