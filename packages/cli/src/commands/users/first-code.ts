import type { Handler } from '../../program/command-run.ts'
import { plain } from '../../terminal/terminal.ts'

/** Answer of `users.first-code`. */
interface FirstCode {
  /** Whether there is no administrator yet. */
  readonly needed: boolean
  readonly code?: string
  /** Unix seconds. */
  readonly expires_at?: number
}

/** Prints the one-time code that makes the first administrator on the console's page. */
export const firstCode: Handler<object> = async (run) => {
  const answer = await run.operate<FirstCode>('users.first-code', {})
  run.print(answer, () => `${plain(answer.code ?? 'There is an administrator already: svc users list')}\n`)
  if (answer.code !== undefined)
    run.hint('Type it at /console/first of the control plane within 15 minutes. It is good for one account.')
}
