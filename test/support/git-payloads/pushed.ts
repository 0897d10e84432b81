/** Commit ids of the pushes: each letter names one. */
export const sha = (letter: string): string => letter.repeat(40)
/** The id that hosts send for a ref that was not there before, or is not there any more. */
export const NONE = '0'.repeat(40)

/** A push to the repository `acme/shop`. */
export interface Pushed {
  readonly ref?: string
  readonly before?: string
  readonly after?: string
  /** The commits of the push: message, and the paths that they changed. */
  readonly commits?: readonly (readonly [message: string, ...paths: string[]])[]
  readonly forced?: boolean
  /** How many commits the push had, if the host sent only some. */
  readonly total?: number
  /** The commit of an annotated tag. */
  readonly tagged?: string
}

/** A push of one commit to `main`. */
export const PUSH: Required<Pick<Pushed, 'ref' | 'before' | 'after' | 'commits'>> = {
  ref: 'refs/heads/main',
  before: sha('a'),
  after: sha('b'),
  commits: [['Sell more', 'apps/shop/index.ts']],
}

/** The headers and the body of a message. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}
