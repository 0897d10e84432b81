/**
 * Result of probing the service of a language model. `refused`: it rejects the key. `address-refused`: such
 * an address is never called. `not-trusted`: its certificate is not trusted.
 */
export type ModelReach =
  | 'ready'
  | 'refused'
  | 'busy'
  | 'unexpected-answer'
  | 'unreachable'
  | 'address-refused'
  | 'unresolved'
  | 'not-trusted'

/**
 * Port to the service of a language model: checks whether it is reachable, without a question that costs
 * anything.
 */
export interface ModelProbe {
  /** Probes the service once. Rejects only if `signal` aborts. */
  reach(signal: AbortSignal): Promise<ModelReach>
}
