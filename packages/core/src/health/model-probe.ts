/** What a look at a language model's service finds. `refused`: it does not take the key. */
export type ModelReach = 'ready' | 'refused' | 'busy' | 'unexpected-answer' | 'unreachable'

/** Port to the service of a language model: asks whether it is there, without a question that costs anything. */
export interface ModelProbe {
  /** Never rejects, but where `signal` ends it. */
  reach(signal: AbortSignal): Promise<ModelReach>
}
