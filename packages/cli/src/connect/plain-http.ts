import type { Io } from '../io.ts'

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * The sentence to say before `what` is sent to an address of plain HTTP on another machine, where everybody
 * on the way can read it; undefined when there is nothing to say.
 */
export function plainHttpWarning(url: string, what: string): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || THIS_MACHINE.test(hostname)) return undefined
  return `${what} travels unencrypted: use https for a plane on another machine`
}

/** Says that sentence to the person who typed the command. */
export function warnOfPlainHttp({ err }: Pick<Io, 'err'>, url: string, what: string): void {
  const warning = plainHttpWarning(url, what)
  if (warning !== undefined) err.write(`svc: warning: ${warning}\n`)
}
