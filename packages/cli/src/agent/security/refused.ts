/** A refusal of the host: nothing was changed. */
export class Refused extends Error {
  override readonly name = 'Refused'
}
