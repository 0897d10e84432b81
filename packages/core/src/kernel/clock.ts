/** The source of time. Tests pass a fake; in production, stores use the database's time. */
export interface Clock {
  /** Returns the present instant, for token lifetimes, rate windows and durations shown to people. */
  now(): Date
  /**
   * Returns the `now` that a service passes to a store. `undefined` in production: the statement then uses
   * `now()`, so that replicas whose clocks differ agree on the holder of a lease.
   */
  statementTime(): Date | undefined
}

/** The machine's clock. No other code reads it. */
export const systemClock: Clock = {
  now: () => new Date(),
  statementTime: () => undefined,
}

/** Returns unix seconds, 0 for never: the form of instants in JSON. */
export const unixSeconds = (instant: Date | undefined): number =>
  instant === undefined ? 0 : Math.floor(instant.getTime() / 1000)
