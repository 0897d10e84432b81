/** Exit codes of commands, for scripts (wire-agent §8). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  notFound: 5,
  /** The code with which a shell reports a program that Ctrl-C ended. */
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
