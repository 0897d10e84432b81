import type { Handler } from '../../program/call.ts'
import { plain } from '../../terminal/terminal.ts'

/** Opens a session; the cookie alone goes to stdout, so that it can be put into a header. */
export const mintSession: Handler<object> = async (call) => {
  const answer = await call.operate<{ cookie: string; expires: string }>('sessions.mint', {
    email: call.arg(0),
  })
  call.print(answer, () => `${plain(answer.cookie)}\n`)
  call.hint(`It ends at ${answer.expires} at the latest, and after two hours without use.`)
}
