/**
 * What a look at a language model's service finds. `refused`: it does not take the key. `address-refused`: we
 * never call such an address. `not-trusted`: its certificate.
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
 * Port to the service of a language model: asks whether it is there, without a question that costs anything.
 */
export interface ModelProbe {
  /** Never rejects, but where `signal` ends it. */
  reach(signal: AbortSignal): Promise<ModelReach>
}
