/** The source of time. Tests pass a fake; in production, stores use the database's time. */
export interface Clock {
  /** Returns the present instant, for token lifetimes, rate windows and durations shown to people. */
  now(): Date
  /**
   * Returns the `now` that a service passes to a store. `undefined` in production: the statement then uses
   * `now()`, so that replicas whose clocks differ agree on who holds a lease.
   */
  forStores(): Date | undefined
}

/** The machine's clock. No other code reads it. */
export const systemClock: Clock = {
  now: () => new Date(),
  forStores: () => undefined,
}
