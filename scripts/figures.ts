/** What a run was asked to do and what it did. */
export interface Figures {
  readonly asked: number
  readonly done: number
  /** What is counted, in the plural. */
  readonly what: string
  /** Whether the run was ended by its own `--at-most`. */
  readonly isStopped: boolean
}

/** How a run ends that broke no promise. */
export interface Ending {
  readonly code: 0 | 1
  /** What is to be said of it; undefined when it did what it was asked. */
  readonly line: string | undefined
}

/**
 * A figure that is asked for binds: a run that did less has failed, unless whoever asked said how long it may
 * take. Then it says how much less that was, in a line that begins with `SHORT:`.
 */
export function endingOf({ asked, done, what, isStopped }: Figures): Ending {
  if (done >= asked) return { code: 0, line: undefined }
  const figures = `${done} of ${asked} ${what}, ${asked - done} fewer than asked`
  if (isStopped) return { code: 0, line: `SHORT: ${figures}: --at-most ended the run` }
  return { code: 1, line: `${figures}, and nothing ended the run` }
}
