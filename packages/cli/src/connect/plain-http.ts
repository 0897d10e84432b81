import type { Io } from '../terminal/io.ts'

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Returns the warning that `what` is about to be sent over plain HTTP to another machine, which everybody on
 * the way can read; undefined if that is not so.
 */
export function plainHttpWarning(url: string, what: string): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || THIS_MACHINE.test(hostname)) return undefined
  return `${what} travels unencrypted: use https for a plane on another machine`
}

/** Prints that warning for the person who typed the command. */
export function warnOfPlainHttp({ err }: Pick<Io, 'err'>, url: string, what: string): void {
  const warning = plainHttpWarning(url, what)
  if (warning !== undefined) err.write(`svc: warning: ${warning}\n`)
}
