/** The amount of work that a run was asked to do, and the amount that it did. */
export interface Figures {
  readonly asked: number
  readonly done: number
  /** The name of the things that are counted, in the plural. */
  readonly what: string
  /** Whether `--at-most` ended the run. */
  readonly isStopped: boolean
}

/** The exit code and last line of a run that broke no promise. */
export interface Ending {
  readonly code: 0 | 1
  /** The line to print; undefined if the run did all its work. */
  readonly line: string | undefined
}

/**
 * Returns how a run ends. A run that did less than asked has failed, unless `--at-most` ended it; then a line
 * that begins with `SHORT:` says how much is missing.
 */
export function endingOf({ asked, done, what, isStopped }: Figures): Ending {
  if (done >= asked) return { code: 0, line: undefined }
  const figures = `${done} of ${asked} ${what}, ${asked - done} fewer than asked`
  if (isStopped) return { code: 0, line: `SHORT: ${figures}: --at-most ended the run` }
  return { code: 1, line: `${figures}, and nothing ended the run` }
}
