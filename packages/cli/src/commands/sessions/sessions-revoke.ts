import type { Handler } from '../../program/call.ts'
import { plain } from '../../terminal/terminal.ts'

/** Ends every session of a user. */
export const revokeSessions: Handler<object> = async (call) => {
  const answer = await call.operate<{ revoked: number }>('sessions.revoke', { email: call.arg(0) })
  call.print(
    answer,
    () => `${plain(`${answer.revoked}`)} ${answer.revoked === 1 ? 'session' : 'sessions'} ended\n`,
  )
}
