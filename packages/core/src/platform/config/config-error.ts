/**
 * All faults of the settings in one error. Neither the message nor `faults` contains a secret, so both may be
 * logged.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`bad settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.faults = faults
  }
}
